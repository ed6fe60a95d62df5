import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Report } from '../diagnostics.js'
import { readOwn } from './json.js'
import {
  displayPath,
  displayUrl,
  isInside,
  isUrl,
  locate,
  readBytes,
  readStream,
  readUrl,
  unescapeUri,
  type Input,
  type Inputs,
  type ReadResult,
} from './read-input.js'
import { parseSource, type Source } from './source.js'
import { upgradeSwagger } from './swagger.js'

/** The result of a reference to a file. It is reported only if a real reference needs it. */
export type FileResult =
  | { readonly source: Source }
  | { readonly rejected: 'outside' | 'unreadable' | 'faulty' }

export type Files = {
  readonly entry: Source
  /** Every file that was read, the entry first. */
  readonly sources: readonly Source[]
  /** Resolves the file part of a `$ref` as written in `from`; the empty one is `from` itself. */
  readonly follow: (from: Source, file: string) => FileResult
  /** Every local file that was read, absolute: what `--watch` watches. */
  readonly read: readonly string[]
  /**
   * Every location that was read, with its content. The cache compares these to detect a change.
   */
  readonly inputs: readonly Input[]
}

export type { Input }

/**
 * Reads the entry (a file, a URL, or `-` for standard input) and every file that it refers to,
 * directly or through others. A file outside the entry's folder (symbolic links counted) and a URL
 * that is not below the entry's are rejected unless `allowRefs`. Returns undefined if the entry
 * cannot be read, parsed, converted or overlaid.
 */
export async function readFiles(
  entry: string,
  options: FileOptions,
  report: Report,
): Promise<Files | undefined> {
  const named = locateRoot(entry, options.cwd)
  const inputs: Input[] = []
  const first = await readEntry(entry, named, options, report, inputs)
  if (first === undefined) return undefined
  const path = first.location
  // references are relative to where redirects led (RFC 3986, section 5.1.3)
  const root = isUrl(path) ? { ...named, folder: new URL('.', path).href } : named

  const at = (from: string, file: string): string => locate(from, resolveSelf(first, file) ?? file)
  const loaded = new Map<string, FileResult>([[path, { source: first }]])
  const queue: Source[] = [first]
  for (let source = queue.pop(); source !== undefined; source = queue.pop()) {
    const files = new Set([...source.references].map((reference) => splitRef(reference).file))
    files.delete('')
    for (const file of files) {
      const location = at(source.location, file)
      if (loaded.has(location)) continue
      const result = await load(location, root, options, report, inputs)
      loaded.set(location, result)
      if ('source' in result) queue.push(result.source)
    }
  }
  return {
    entry: first,
    sources: [...loaded.values()].flatMap((result) => ('source' in result ? [result.source] : [])),
    follow: (from, file) =>
      file === ''
        ? { source: from }
        : (loaded.get(at(from.location, file)) ?? { rejected: 'unreadable' }),
    read: [...loaded]
      .filter(([location, result]) => 'source' in result && !isUrl(location) && entry !== '-')
      .map(([location]) => location),
    inputs,
  }
}

async function load(
  location: string,
  { folder, location: entry }: Root,
  options: FileOptions,
  report: Report,
  inputs: Input[],
): Promise<FileResult> {
  if (isUrl(location)) {
    if (!options.allowRefs && !isBelow(location, folder)) return { rejected: 'outside' }
    const read = await readUrl(location, options, isUrl(entry) ? new URL(entry).origin : undefined)
    inputs.push({ location })
    return 'bytes' in read
      ? parse(read.location ?? location, displayUrl(location), read.bytes, report)
      : { rejected: 'unreadable' }
  }
  if (!options.allowRefs && !isInside(location, folder)) return { rejected: 'outside' }
  const read = await readBytes(location, inputs)
  if (!('bytes' in read)) return { rejected: 'unreadable' }
  if (!options.allowRefs && !isInside(await realpath(location), await realpath(folder)))
    return { rejected: 'outside' }
  return parse(location, displayPath(location, options.cwd, folder), read.bytes, report)
}

/** Whether a URL is below another, also for a server that reads `%2F` as a slash. */
function isBelow(url: string, folder: string): boolean {
  const plain = unescapeUri(url)
  return (
    isUrl(folder) &&
    url.startsWith(folder) &&
    URL.canParse(plain) &&
    new URL(plain).href.startsWith(new URL(unescapeUri(folder)).href)
  )
}

async function parse(
  location: string,
  name: string,
  bytes: Uint8Array,
  report: Report,
): Promise<FileResult> {
  const source = await parseSource(location, name, bytes, report)
  return source === undefined ? { rejected: 'faulty' } : { source }
}

/** The two halves of a reference: a file as it is written, and a fragment without escapes. */
export function splitRef(ref: string): { readonly file: string; readonly pointer: string } {
  const hash = ref.indexOf('#')
  return hash === -1
    ? { file: ref, pointer: '' }
    : { file: ref.slice(0, hash), pointer: unescapeUri(ref.slice(hash + 1)) }
}

/**
 * Resolves a URI below `$self` of the entry (OpenAPI 3.2) to a file relative to the location of the
 * entry.
 */
function resolveSelf({ location, data }: Source, file: string): string | undefined {
  const self = readOwn(data, '$self')
  if (!isUrl(file) || typeof self !== 'string' || !isUrl(self)) return undefined
  const folder = new URL('.', self).href
  const target = URL.canParse(file) ? new URL(file).href : file
  if (new URL(self).href.replace(/#.*/, '') === target) return location
  return target.startsWith(folder) ? locate(location, target.slice(folder.length)) : undefined
}

type FileOptions = Inputs & {
  readonly cwd: string
  readonly allowRefs: boolean
  /** Overlay files, in the order in which they change the entry. */
  readonly overlays: readonly string[]
}

/** The location of the entry, and the folder or URL that contains its references. */
type Root = { readonly location: string; readonly folder: string; readonly name: string }

/** Locates an entry: a file, a URL, or `-`. */
function locateRoot(entry: string, cwd: string): Root {
  if (entry === '-') return { location: resolve(cwd, 'stdin'), folder: cwd, name: 'stdin' }
  if (isUrl(entry))
    return {
      location: new URL(entry).href,
      folder: new URL('.', entry).href,
      name: displayUrl(entry),
    }
  const location = resolve(cwd, entry)
  return {
    location,
    folder: dirname(location),
    name: displayPath(location, cwd, dirname(location)),
  }
}

/** Reads the entry, applies the overlays and converts Swagger 2.0. */
async function readEntry(
  entry: string,
  { location, folder, name }: Root,
  options: FileOptions,
  report: Report,
  inputs: Input[],
): Promise<Source | undefined> {
  const input =
    entry === '-'
      ? await readStream(options.stdin)
      : isUrl(entry)
        ? await readUrl(location, options, new URL(location).origin)
        : await readBytes(location, inputs)
  const parse = async (
    location: string,
    name: string,
    read: ReadResult,
  ): Promise<Source | undefined> => {
    if ('bytes' in read) return parseSource(read.location ?? location, name, read.bytes, report)
    report(
      'FB1001',
      { file: name, line: 1, column: 1, pointer: '' },
      read.rejected,
      'an OpenAPI document, YAML or JSON',
    )
    return undefined
  }
  if (entry === '-' || isUrl(entry)) inputs.push({ location })
  let source = await parse(location, name, input)
  // loading the parser of JSONPath takes time, and few documents have overlays
  const applyOverlay =
    options.overlays.length === 0 ? undefined : (await import('./overlay.js')).applyOverlay
  for (const file of options.overlays) {
    const path = resolve(options.cwd, file)
    const overlay = await parse(
      path,
      displayPath(path, options.cwd, isUrl(folder) ? options.cwd : folder),
      await readBytes(path, inputs),
    )
    source = source && overlay && applyOverlay?.(source, overlay, report)
  }
  return source && upgradeSwagger(source, report)
}
