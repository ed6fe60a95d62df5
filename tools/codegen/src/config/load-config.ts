import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { expected, nearest, UsageError } from '@farebox/command-line'
import { semanticsModes } from '../document/semantics.js'
import { isUrl } from '../document/read-input.js'
import { dateModes, int64Modes } from '../emit/values/converted.js'
import { importExtensions, layouts } from '../pipeline/target.js'
import { filterForms, readFilter } from '../select/select.js'
import type { Config, DocumentSettings, Settings } from './config.js'
import { toPlugin, importModule } from './load-plugin.js'

export type LoadedConfig = {
  readonly config: Config
  /** The folder of the file: the base of its paths. */
  readonly folder: string
  /** The name of the file. Empty without a file. */
  readonly file: string
  /** The file and the modules that it imports, without those of packages. */
  readonly files: readonly string[]
}

/** Reads a configuration file. Throws `UsageError` with the name of the file. */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  const name = basename(path)
  if (!existsSync(path)) throw new UsageError(`--config: ${path} does not exist.`)
  const { value, files } = path.endsWith('.json')
    ? await readJson(path)
    : await importModule(path, dirname(path), name)
  return { config: checkConfig(value, name), folder: dirname(path), file: name, files }
}

async function readJson(
  path: string,
): Promise<{ readonly value: unknown; readonly files: readonly string[] }> {
  try {
    return { value: parseJsonFile(await readFile(path)), files: [path] }
  } catch (error) {
    throw new UsageError(
      `${basename(path)} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

/** Editors of Windows put a byte order mark before JSON. */
export function parseJsonFile(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes))
}

const configNames = ['ts', 'mts', 'js', 'mjs', 'json'].map(
  (extension) => `farebox.config.${extension}`,
)

/**
 * The nearest configuration file, in a folder or above it, up to the root of its package (where a
 * package.json is).
 */
export function findConfig(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const name = configNames.find((candidate) => existsSync(join(folder, candidate)))
    if (name !== undefined) return join(folder, name)
    if (existsSync(join(folder, 'package.json')) || folder === dirname(folder)) return undefined
  }
}

/** Throws `UsageError` for a value that is not allowed at a place. */
type Check = (value: unknown, at: string) => void

/** A check for each field of a type. The compiler rejects a missing or an unknown one. */
type Fields<T> = { readonly [Name in keyof T]-?: Check }

/** Checks a configuration. Throws `UsageError` for the first error, with its place. */
function checkConfig(value: unknown, file: string): Config {
  checkFields({
    ...settings,
    documents: checkList(checkFields(document)),
  } satisfies Fields<Config>)(value, `${file}: `)
  return value as Config
}

const checkString: Check = (value, at) => {
  if (typeof value !== 'string') throw createMismatchError(at, value, 'a string')
  if (value === '') throw createMismatchError(at, value, 'a string that is not empty')
}

const checkBoolean: Check = (value, at) => {
  if (typeof value !== 'boolean') throw createMismatchError(at, value, 'true or false')
}

const checkFilter: Check = (value, at) => {
  if (typeof value !== 'string' || readFilter(value) === undefined)
    throw createMismatchError(at, value, filterForms)
}

function checkOneOf(known: readonly string[]): Check {
  return (value, at) => {
    if (!known.some((one) => one === value))
      throw createMismatchError(at, value, `one of ${known.join(', ')}`)
  }
}

const checkVariable: Check = (value, at) => {
  if (typeof value !== 'string' || !/^\w+$/.test(value))
    throw new UsageError(`${at}: expected the name of an environment variable.`)
}

/** The options of an output are checked where outputs are chosen. */
const checkOutput: Check = (value, at) => {
  if (typeof value === 'boolean') return
  if (typeof value !== 'object') throw createMismatchError(at, value, 'true, false or an object')
  checkRecord(checkString)(value, at)
}

const checkPlugin: Check = (value, at) => {
  if (typeof value !== 'string') toPlugin(value, at)
}

const checkSpec: Check = (value, at) => {
  checkString(value, at)
  const location = String(value)
  if (
    location === '-' ||
    (isUrl(location) && !(URL.canParse(location) && /^https?:$/.test(new URL(location).protocol)))
  )
    throw createMismatchError(at, value, 'a file or an http URL')
}

const checkOverlay: Check = (value, at) => {
  checkString(value, at)
  if (isUrl(String(value))) throw createMismatchError(at, value, 'a file')
}

const settings: Fields<Settings> = {
  out: checkString,
  layout: checkOneOf(layouts),
  outputs: checkRecord(checkOutput),
  plugins: checkList(checkPlugin),
  overlays: checkList(checkOverlay),
  include: checkList(checkFilter),
  exclude: checkList(checkFilter),
  prune: checkBoolean,
  headersFromEnv: checkRecord(checkVariable),
  semantics: checkOneOf(semanticsModes),
  discriminator: checkOneOf(semanticsModes),
  importExtension: checkOneOf(importExtensions),
  dates: checkOneOf(dateModes),
  int64: checkOneOf(int64Modes),
  allowRefs: checkBoolean,
  strict: checkBoolean,
}

const document: Fields<DocumentSettings> = { ...settings, spec: checkSpec }

function checkList(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw createMismatchError(at, value, 'an array')
    for (const [index, item] of value.entries()) check(item, `${at}[${index}]`)
  }
}

function checkRecord(check: Check): Check {
  return (value, at) => {
    for (const [name, item] of readEntries(value, at)) check(item, append(at, name))
  }
}

function checkFields(known: Readonly<Record<string, Check>>): Check {
  return (value, at) => {
    for (const [name, item] of readEntries(value, at)) {
      if (!Object.hasOwn(known, name))
        throw new UsageError(
          `${describePlace(at)} has no ${JSON.stringify(name)}. ${suggest(name, Object.keys(known))}`,
        )
      if (item !== undefined) known[name]?.(item, append(at, name))
    }
    if (Object.hasOwn(known, 'spec') && !Object.hasOwn(value as object, 'spec'))
      throw new UsageError(`${describePlace(at)} needs "spec".`)
  }
}

/** `Did you mean "zod"?`, or all names if none is similar. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined
    ? `It has ${known.join(', ')}.`
    : `Did you mean ${JSON.stringify(near)}?`
}

function readEntries(value: unknown, at: string): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw createMismatchError(describePlace(at), value, 'an object')
  return Object.entries(value)
}

/** Appends a name to a place, such as `farebox.config.ts: `. */
function append(at: string, name: string): string {
  return at.endsWith(': ') ? `${at}${name}` : `${at}.${name}`
}

function describePlace(at: string): string {
  return at.replace(/: $/, '')
}

function createMismatchError(at: string, value: unknown, what: string): UsageError {
  return typeof value === 'string'
    ? expected(at, value, what)
    : new UsageError(`${at}: found ${describeKind(value)}, expected ${what}.`)
}

function describeKind(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  return Array.isArray(value)
    ? 'an array'
    : typeof value === 'object'
      ? 'an object'
      : value === undefined
        ? 'nothing'
        : `a ${typeof value}`
}
