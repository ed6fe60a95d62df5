import { dirname, resolve } from 'node:path'
import type { Report } from '../diagnostics.js'
import { displayPath, displayUrl } from './locations.js'
import { applyOverlay } from './overlay.js'
import { isUrl, readBytes, readStream, readUrl } from './read-input.js'
import type { Input, Inputs, Read } from './read-input.js'
import { parseSource } from './source.js'
import type { Source } from './source.js'
import { upgradeSwagger } from './swagger.js'

export type FileOptions = Inputs & {
  readonly cwd: string
  readonly allowRefs: boolean
  /** Overlay files, in the order in which they change the entry. */
  readonly overlays: readonly string[]
}

/** The location of the entry, and the folder or URL that contains its references. */
export type Root = { readonly location: string; readonly folder: string; readonly name: string }

/** Locates an entry: a file, a URL, or `-`. */
export function locateRoot(entry: string, cwd: string): Root {
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
export async function readEntry(
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
  const parse = async (location: string, name: string, read: Read): Promise<Source | undefined> => {
    if ('bytes' in read) return parseSource(location, name, read.bytes, report)
    report(
      'FB1001',
      { file: name, line: 1, column: 1, pointer: '' },
      read.refused,
      'an OpenAPI document, YAML or JSON',
    )
    return undefined
  }
  if (entry === '-' || isUrl(entry)) inputs.push({ location })
  let source = await parse(location, name, input)
  for (const file of options.overlays) {
    const path = resolve(options.cwd, file)
    const overlay = await parse(
      path,
      displayPath(path, options.cwd, isUrl(folder) ? options.cwd : folder),
      await readBytes(path, inputs),
    )
    source = source && overlay && applyOverlay(source, overlay, report)
  }
  return source && upgradeSwagger(source, report)
}
