import { readFile, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { Report } from '../diagnostics.js'
import { hashOf } from '../hash.js'
import { isList, isObject } from './json.js'
import type { Json } from './json.js'
import { parseSource } from './source.js'
import type { Source } from './source.js'

/** The result of a reference to a file. It is reported only if a real reference needs it. */
export type Loaded = { readonly source: Source } | { readonly refused: 'outside' | 'unreadable' | 'faulty' }

export type Files = {
  readonly entry: Source
  /** Every file that was read, the entry first. */
  readonly sources: readonly Source[]
  /** Resolves the file part of a `$ref` as written in `from`; the empty one is `from` itself. */
  readonly follow: (from: Source, file: string) => Loaded
  /** Every local file that was read, absolute: what `--watch` watches. */
  readonly read: readonly string[]
  /**
   * Every location that was read, with its content. The cache compares these to detect a change.
   */
  readonly inputs: readonly Input[]
}

/** A file or URL of the document, with the hash of its bytes if it could be read. */
export type Input = { readonly location: string; readonly hash?: string }

export type FileOptions = {
  readonly cwd: string
  readonly allowRefs: boolean
  readonly fetch: typeof globalThis.fetch
}

/**
 * Reads the entry file and every file that it refers to, directly or through others. A file outside
 * the entry's folder (symbolic links counted) and a URL are refused unless `allowRefs`. Nothing
 * when the entry itself cannot be read or parsed.
 */
export async function readFiles(entry: string, options: FileOptions, report: Report): Promise<Files | undefined> {
  const path = resolve(options.cwd, entry)
  const folder = dirname(path)
  const name = nameOf(path, options.cwd, folder)
  const inputs: Input[] = []
  const bytes = await readBytes(path, inputs)
  if (bytes === undefined) {
    report('FB1001', { file: name, line: 1, column: 1, pointer: '' }, 'no readable file', 'an OpenAPI document, YAML or JSON')
    return undefined
  }
  const first = await parseSource(path, name, bytes, report)
  if (first === undefined) return undefined

  const loaded = new Map<string, Loaded>([[path, { source: first }]])
  const queue: Source[] = [first]
  for (let source = queue.pop(); source !== undefined; source = queue.pop()) {
    for (const file of filesNamedIn(source.data)) {
      const location = locate(source.location, file)
      if (loaded.has(location)) continue
      const result = await load(location, folder, options, report, inputs)
      loaded.set(location, result)
      if ('source' in result) queue.push(result.source)
    }
  }
  return {
    entry: first,
    sources: [...loaded.values()].flatMap((result) => ('source' in result ? [result.source] : [])),
    follow: (from, file) => (file === '' ? { source: from } : (loaded.get(locate(from.location, file)) ?? { refused: 'unreadable' })),
    read: [...loaded].filter(([location, result]) => 'source' in result && !isUrl(location)).map(([location]) => location),
    inputs,
  }
}

async function load(location: string, folder: string, options: FileOptions, report: Report, inputs: Input[]): Promise<Loaded> {
  if (isUrl(location)) {
    if (!options.allowRefs) return { refused: 'outside' }
    const bytes = await fetchBytes(location, options.fetch)
    inputs.push({ location })
    return bytes === undefined ? { refused: 'unreadable' } : parsed(location, location, bytes, report)
  }
  if (!options.allowRefs && !isInside(location, folder)) return { refused: 'outside' }
  const bytes = await readBytes(location, inputs)
  if (bytes === undefined) return { refused: 'unreadable' }
  if (!options.allowRefs && !isInside(await realpath(location), await realpath(folder))) return { refused: 'outside' }
  return parsed(location, nameOf(location, options.cwd, folder), bytes, report)
}

async function parsed(location: string, name: string, bytes: Uint8Array, report: Report): Promise<Loaded> {
  const source = await parseSource(location, name, bytes, report)
  return source === undefined ? { refused: 'faulty' } : { source }
}

/** The file parts of all `$ref` strings. Examples count too, which does no harm. */
function filesNamedIn(data: Json): ReadonlySet<string> {
  const files = new Set<string>()
  const stack: Json[] = [data]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isList(node)) for (const item of node) stack.push(item)
    if (!isObject(node)) continue
    for (const key of Object.keys(node)) {
      const value = node[key]
      if (key === '$ref' && typeof value === 'string') files.add(splitRef(value).file)
      else if (key === 'mapping' && isObject(value)) for (const target of Object.values(value)) addMapped(files, target)
      else if (typeof value === 'object' && value !== null) stack.push(value)
    }
  }
  files.delete('')
  return files
}

function addMapped(files: Set<string>, target: Json): void {
  if (typeof target === 'string' && /[/.]/.test(target)) files.add(splitRef(target).file)
}

/** The two halves of a reference. The fragment is decoded if its escapes are valid. */
export function splitRef(ref: string): { readonly file: string; readonly pointer: string } {
  const hash = ref.indexOf('#')
  return hash === -1 ? { file: decode(ref), pointer: '' } : { file: decode(ref.slice(0, hash)), pointer: decode(ref.slice(hash + 1)) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function locate(from: string, file: string): string {
  if (isUrl(file)) return file
  return isUrl(from) ? new URL(file, from).href : resolve(dirname(from), file)
}

function isUrl(location: string): boolean {
  return /^[a-z][a-z\d+.-]+:/i.test(location)
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A path that is the same on every machine: relative to the working or entry folder. */
function nameOf(path: string, cwd: string, folder: string): string {
  return relative(isInside(path, cwd) ? cwd : folder, path).replaceAll('\\', '/')
}

async function readBytes(location: string, inputs: Input[]): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(location)
    inputs.push({ location, hash: hashOf(bytes) })
    return bytes
  } catch {
    inputs.push({ location })
    return undefined
  }
}

async function fetchBytes(url: string, fetch: typeof globalThis.fetch): Promise<Uint8Array | undefined> {
  try {
    const response = await fetch(url)
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined
  } catch {
    return undefined
  }
}
