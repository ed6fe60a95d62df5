import { expected, nearest, UsageError } from '@farebox/command-line'
import { isUrl } from '../document/read-input.js'
import { discriminatorModes } from '../document/discriminators/tag-schemas.js'
import { dateModes, int64Modes } from '../emit/values/modes.js'
import { importExtensions } from '../pipeline/target.js'
import { filterForms, readFilter } from '../select/filter.js'
import type { Config, DocumentSettings, Settings } from './config.js'
import { asPlugin } from './load-plugin.js'

/** Throws `UsageError` for a value that may not stand at a place. */
type Check = (value: unknown, at: string) => void

/** The names of a type's fields. The compiler refuses a list that lacks one or has another. */
type Fields<T> = { readonly [Name in keyof T]-?: Check }

/** The same value as a configuration. Throws `UsageError` for the first fault, with its place. */
export function checkConfig(value: unknown, file: string): Config {
  fields({ ...settings, documents: list(fields(document)) } satisfies Fields<Config>)(value, `${file}: `)
  return value as Config
}

const text: Check = (value, at) => {
  if (typeof value !== 'string' || value === '') throw wrong(at, value, 'a text')
}

const truth: Check = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(at, value, 'true or false')
}

const filter: Check = (value, at) => {
  if (typeof value !== 'string' || readFilter(value) === undefined) throw wrong(at, value, filterForms)
}

function oneOf(known: readonly string[]): Check {
  return (value, at) => {
    if (!known.some((one) => one === value)) throw wrong(at, value, `one of ${known.join(', ')}`)
  }
}

const variable: Check = (value, at) => {
  if (typeof value !== 'string' || !/^\w+$/.test(value)) throw new UsageError(`${at}: expected the name of an environment variable.`)
}

/** Which options an output has, is known where outputs are chosen. */
const output: Check = (value, at) => {
  if (typeof value !== 'boolean') record(text)(value, at)
}

const plugin: Check = (value, at) => {
  if (typeof value !== 'string') asPlugin(value, at)
}

const spec: Check = (value, at) => {
  text(value, at)
  const location = String(value)
  if (location === '-' || (isUrl(location) && !(URL.canParse(location) && /^https?:$/.test(new URL(location).protocol))))
    throw wrong(at, value, 'a file or an http URL')
}

const settings: Fields<Settings> = {
  out: text,
  outputs: record(output),
  plugins: list(plugin),
  overlays: list(text),
  include: list(filter),
  exclude: list(filter),
  prune: truth,
  headersFromEnv: record(variable),
  discriminator: oneOf(discriminatorModes),
  importExtension: oneOf(importExtensions),
  dates: oneOf(dateModes),
  int64: oneOf(int64Modes),
  allowRefs: truth,
  strict: truth,
}

const document: Fields<DocumentSettings> = { ...settings, spec }

function list(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, value, 'a list')
    for (const [index, item] of value.entries()) check(item, `${at}[${index}]`)
  }
}

function record(check: Check): Check {
  return (value, at) => {
    for (const [name, item] of entriesOf(value, at)) check(item, within(at, name))
  }
}

function fields(known: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    for (const [name, item] of entriesOf(value, at)) {
      if (!Object.hasOwn(known, name))
        throw new UsageError(`${owner(at)} has no ${JSON.stringify(name)}. ${meant(name, Object.keys(known))}`)
      if (item !== undefined) known[name]?.(item, within(at, name))
    }
    if (Object.hasOwn(known, 'spec') && !Object.hasOwn(value as object, 'spec')) throw new UsageError(`${owner(at)} needs "spec".`)
  }
}

/** `Did you mean "zod"?`, or all names where none is near. */
export function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`
}

function entriesOf(value: unknown, at: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(owner(at), value, 'an object')
  return Object.entries(value)
}

/** `farebox.config.ts: ` and a name make a place. */
function within(at: string, name: string): string {
  return at.endsWith(': ') ? `${at}${name}` : `${at}.${name}`
}

function owner(at: string): string {
  return at.replace(/: $/, '')
}

function wrong(at: string, value: unknown, what: string): UsageError {
  return typeof value === 'string' ? expected(at, value, what) : new UsageError(`${at}: found ${kindOf(value)}, expected ${what}.`)
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : value === undefined ? 'nothing' : `a ${typeof value}`
}
