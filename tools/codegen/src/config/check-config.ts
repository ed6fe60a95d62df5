import { expected, nearest, UsageError } from '@farebox/command-line'
import { isUrl } from '../document/read-input.js'
import { discriminatorModes } from '../document/discriminators/tag-schemas.js'
import { dateModes, int64Modes } from '../emit/values/modes.js'
import { importExtensions, layouts } from '../pipeline/target.js'
import { filterForms, readFilter } from '../select/filter.js'
import type { Config, DocumentSettings, Settings } from './config.js'
import { asPlugin } from './load-plugin.js'

/** Throws `UsageError` for a value that is not allowed at a place. */
type Check = (value: unknown, at: string) => void

/** A check for each field of a type. The compiler rejects a missing or an unknown one. */
type Fields<T> = { readonly [Name in keyof T]-?: Check }

/** Checks a configuration. Throws `UsageError` for the first error, with its place. */
export function checkConfig(value: unknown, file: string): Config {
  fields({ ...settings, documents: list(fields(document)) } satisfies Fields<Config>)(
    value,
    `${file}: `,
  )
  return value as Config
}

const string: Check = (value, at) => {
  if (typeof value !== 'string' || value === '') throw mismatch(at, value, 'a string')
}

const boolean: Check = (value, at) => {
  if (typeof value !== 'boolean') throw mismatch(at, value, 'true or false')
}

const filter: Check = (value, at) => {
  if (typeof value !== 'string' || readFilter(value) === undefined)
    throw mismatch(at, value, filterForms)
}

function oneOf(known: readonly string[]): Check {
  return (value, at) => {
    if (!known.some((one) => one === value)) throw mismatch(at, value, `one of ${known.join(', ')}`)
  }
}

const variable: Check = (value, at) => {
  if (typeof value !== 'string' || !/^\w+$/.test(value))
    throw new UsageError(`${at}: expected the name of an environment variable.`)
}

/** The options of an output are checked where outputs are chosen. */
const output: Check = (value, at) => {
  if (typeof value !== 'boolean') record(string)(value, at)
}

const plugin: Check = (value, at) => {
  if (typeof value !== 'string') asPlugin(value, at)
}

const spec: Check = (value, at) => {
  string(value, at)
  const location = String(value)
  if (
    location === '-' ||
    (isUrl(location) && !(URL.canParse(location) && /^https?:$/.test(new URL(location).protocol)))
  )
    throw mismatch(at, value, 'a file or an http URL')
}

const settings: Fields<Settings> = {
  out: string,
  layout: oneOf(layouts),
  outputs: record(output),
  plugins: list(plugin),
  overlays: list(string),
  include: list(filter),
  exclude: list(filter),
  prune: boolean,
  headersFromEnv: record(variable),
  discriminator: oneOf(discriminatorModes),
  importExtension: oneOf(importExtensions),
  dates: oneOf(dateModes),
  int64: oneOf(int64Modes),
  allowRefs: boolean,
  strict: boolean,
}

const document: Fields<DocumentSettings> = { ...settings, spec }

function list(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw mismatch(at, value, 'a list')
    for (const [index, item] of value.entries()) check(item, `${at}[${index}]`)
  }
}

function record(check: Check): Check {
  return (value, at) => {
    for (const [name, item] of entries(value, at)) check(item, append(at, name))
  }
}

function fields(known: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    for (const [name, item] of entries(value, at)) {
      if (!Object.hasOwn(known, name))
        throw new UsageError(
          `${owner(at)} has no ${JSON.stringify(name)}. ${suggest(name, Object.keys(known))}`,
        )
      if (item !== undefined) known[name]?.(item, append(at, name))
    }
    if (Object.hasOwn(known, 'spec') && !Object.hasOwn(value as object, 'spec'))
      throw new UsageError(`${owner(at)} needs "spec".`)
  }
}

/** `Did you mean "zod"?`, or all names if none is similar. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined
    ? `It has ${known.join(', ')}.`
    : `Did you mean ${JSON.stringify(near)}?`
}

function entries(value: unknown, at: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw mismatch(owner(at), value, 'an object')
  return Object.entries(value)
}

/** Appends a name to a place, such as `farebox.config.ts: `. */
function append(at: string, name: string): string {
  return at.endsWith(': ') ? `${at}${name}` : `${at}.${name}`
}

function owner(at: string): string {
  return at.replace(/: $/, '')
}

function mismatch(at: string, value: unknown, what: string): UsageError {
  return typeof value === 'string'
    ? expected(at, value, what)
    : new UsageError(`${at}: found ${describeKind(value)}, expected ${what}.`)
}

function describeKind(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  return Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'an object'
      : value === undefined
        ? 'nothing'
        : `a ${typeof value}`
}
