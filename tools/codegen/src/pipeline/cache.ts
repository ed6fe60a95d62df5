import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Diagnostic } from '../diagnostics.js'
import type { Input } from '../document/files.js'
import { sha256 } from '../document/read-input.js'
import { compare, isClean, readBytes, type FileHashes } from './write.js'

/** What a run depends on, apart from the files that it reads. */
export type CacheKey = {
  readonly cwd: string
  /** The entry file, relative to `cwd`. */
  readonly spec: string
  /** Everything else that affects the output. */
  readonly options: readonly (string | boolean)[]
}

/** Hashes of a run's input and output, and its messages. The cache never writes output. */
type CachedRun = {
  readonly inputs: readonly Input[]
  readonly outputs: FileHashes
  readonly diagnostics: readonly Diagnostic[]
  /** The line about parts of the document that were left out, if any. */
  readonly loss?: string
}

/**
 * The earlier run with the same output. Undefined if anything has changed since: the generator, its
 * options, a file of the document or a file of the output. A missing or damaged entry is ignored.
 */
export async function readCache(folder: string, key: CacheKey): Promise<CachedRun | undefined> {
  const spec = resolve(key.cwd, key.spec)
  const entry = hashFile(spec)
  if (entry === undefined) return undefined
  const name = formatEntryName(key, entry)
  const run = parseEntry(name, (await readBytes(join(folder, name)))?.toString() ?? '')
  if (run === undefined) return undefined
  // the name of the cached run has the hash of the entry
  const others = run.inputs.filter(({ location }) => location !== spec)
  if (others.some(({ location, hash }) => hashFile(location) !== hash)) return undefined
  return isClean(await compare(key.cwd, run.outputs)) ? run : undefined
}

/**
 * Stores a run, unless a part of the document came from a URL. Ignores a folder that cannot be
 * written.
 */
export async function writeCache(folder: string, key: CacheKey, run: CachedRun): Promise<void> {
  const entry = run.inputs.find(({ location }) => location === resolve(key.cwd, key.spec))
  if (entry?.hash === undefined || run.inputs.some(({ location }) => isUrl(location))) return
  const name = formatEntryName(key, entry.hash)
  const file = join(folder, name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(`${file}.${process.pid}`, formatEntry(name, run), { mode: 0o600 })
    await rename(`${file}.${process.pid}`, file)
    await deleteOldest(folder)
  } catch {
    await rm(`${file}.${process.pid}`, { force: true }).catch(() => undefined)
  }
}

/** The folder of the cache: in the project's node_modules, else in the temporary folder. */
export function findCacheFolder(cwd: string, temp: string): string {
  // a folder that all users may write to is unsafe under a predictable name
  return (
    findProjectCache(cwd, 'farebox-codegen') ??
    join(temp, `farebox-codegen-${process.getuid?.() ?? 'user'}`)
  )
}

/** The folder for a cache in the nearest node_modules, if there is one. */
export function findProjectCache(cwd: string, name: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (isFolder(join(folder, 'node_modules'))) return join(folder, 'node_modules/.cache', name)
    if (folder === dirname(folder)) return undefined
  }
}

/** The number of entries that are kept. */
export const maxEntries = 64

async function deleteOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= maxEntries) return
  const entries = await Promise.all(
    names.map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })),
  )
  const old = entries.toSorted((a, b) => a.time - b.time).slice(0, names.length - maxEntries)
  await Promise.all(old.map(async ({ name }) => rm(join(folder, name), { force: true })))
}

function formatEntryName({ cwd, spec, options }: CacheKey, entry: string): string {
  return `${sha256(JSON.stringify([hashGenerator(), resolve(cwd), spec, entry, ...options]))}.json`
}

/**
 * The SHA-256 of a file, in hex. It is read in pieces, since a large one in memory costs more than
 * its hash.
 */
function hashFile(path: string): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const sum = createHash('sha256')
    const piece = new Uint8Array(256 * 1024)
    for (let size = readSync(file, piece); size > 0; size = readSync(file, piece))
      sum.update(piece.subarray(0, size))
    return sum.digest('hex')
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

let cachedHash: string | undefined

/** Of the generator's code, its runtime, and the versions of its dependencies. */
function hashGenerator(): string {
  cachedHash ??= sha256(
    ...[
      ...listFiles(here),
      ...listFiles(join(here, '../runtime')),
      join(here, '../package.json'),
    ].map((file) => readFileSync(file)),
  )
  return cachedHash
}

const here = dirname(import.meta.dirname)

function listFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}

function formatEntry(name: string, { inputs, outputs, diagnostics, loss }: CachedRun): string {
  const messages = diagnostics.map(
    ({ code, place: { file, line, column, pointer, excerpt }, found, expected }) => {
      return { code, place: { file, line, column, pointer, excerpt }, found, expected }
    },
  )
  const body = JSON.stringify({
    inputs,
    files: [...outputs.files],
    directories: outputs.directories,
    messages,
    loss,
  })
  return `${sha256(name, body)}\n${body}`
}

/** The hash at the start detects truncated, edited and renamed entries. */
function parseEntry(name: string, text: string): CachedRun | undefined {
  const [hash, body] = text.split('\n')
  if (body === undefined || sha256(name, body) !== hash) return undefined
  const { inputs, files, directories, messages, loss } = JSON.parse(body) as Entry
  // a run with an error is not stored
  const diagnostics = messages.map((message) => ({ ...message, severity: 'warning' as const }))
  return {
    inputs,
    outputs: { files: new Map(files), directories },
    diagnostics,
    ...(loss !== undefined && { loss }),
  }
}

type Entry = {
  readonly inputs: readonly Input[]
  readonly files: readonly (readonly [path: string, hash: string])[]
  readonly directories: readonly string[]
  readonly messages: readonly Omit<Diagnostic, 'severity'>[]
  readonly loss?: string
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isUrl(location: string): boolean {
  return /^[a-z][a-z\d+.-]+:/i.test(location)
}
