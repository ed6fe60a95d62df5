import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic, Place, Report } from '../diagnostics.js'
import { bundle } from './bundle/bundle.js'
import { findPlace } from './bundle/component-names.js'
import { readFiles } from './files.js'
import type { Input } from './files.js'
import { splitBytes } from './forms/split-bytes.js'
import { splitForms } from './forms/forms.js'
import { isObject, readOwn } from './json.js'
import { isUrl } from './read-input.js'
import type { JsonObject } from './json.js'
import type { Source } from './source.js'
import { applySemantics, type Semantics } from './semantics.js'
import type { Version } from './types/possible-types.js'

/** A bundled document. Every `$ref` in it targets one of its own components. */
export type Document = {
  readonly root: JsonObject
  readonly version: Version
  /** The entry file, relative to the working directory. */
  readonly source: string
  /** Where it was read from, if that is a URL. */
  readonly url?: string
  /** The files of the document, as absolute paths. */
  readonly files: readonly string[]
  /** Every file and URL that was looked up, found or not. */
  readonly inputs: readonly Input[]
  /** Where a node of `root` was written. The first read of a line parses the file once more. */
  readonly place: (pointer: string) => Place
  /** The same without the line, so without a second parse. */
  readonly origin: (pointer: string) => Pick<Place, 'file' | 'pointer'>
  /** The nodes of `root` that were emptied because of an error, which the diagnostics report. */
  readonly broken: readonly string[]
  /** Whether it is one file, and its parts have the pointers that they have there. */
  readonly isWhole: boolean
  /** The line of an origin. One in an unknown file is that of the entry. */
  readonly locate: (origin: Pick<Place, 'file' | 'pointer'>) => Place
}

export type LoadOptions = {
  /** Base of all paths that are read and printed. Default: the working directory of the process. */
  readonly cwd?: string
  /**
   * Follow references to other folders and to URLs. Default: false, as a document may be untrusted.
   */
  readonly allowRefs?: boolean
  readonly fetch?: typeof globalThis.fetch
  /** Request headers for the entry, and for its references to the same origin. */
  readonly headers?: Readonly<Record<string, string>>
  /** What the entry `-` reads. Default: nothing. */
  readonly stdin?: AsyncIterable<Uint8Array>
  /** Overlay files (OpenAPI Overlay 1.0 to 1.2), in the order in which they change the entry. */
  readonly overlays?: readonly string[]
  /** Whether schemas are read as OpenAPI authors mean them. Default: `openapi`. */
  readonly semantics?: Semantics
  /** The same for discriminators alone. Default: `semantics`. */
  readonly discriminator?: Semantics
}

export type LoadResult = {
  readonly document?: Document
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Reads an OpenAPI 3.0, 3.1 or 3.2 document, or Swagger 2.0 as OpenAPI 3.0, follows its references
 * and joins its files. A broken reference becomes an empty object, so that one run finds all
 * errors. If the diagnostics contain an error, callers must remove the `broken` nodes before they
 * use the document.
 */
export async function loadDocument(entry: string, options: LoadOptions = {}): Promise<LoadResult> {
  const {
    cwd = process.cwd(),
    allowRefs = false,
    fetch = globalThis.fetch,
    headers = {},
    overlays = [],
  } = options
  const { stdin = new Blob().stream(), semantics = 'openapi' } = options
  const { discriminator = semantics } = options
  const { report, all } = collectDiagnostics()
  const files = await readFiles(entry, { cwd, allowRefs, fetch, headers, stdin, overlays }, report)
  const version = files && readVersion(files.entry, report)
  if (files === undefined || version === undefined) return { diagnostics: all() }
  const { root: bundled, findSpot, broken: emptied, isWhole } = bundle(files, report)
  const forms = splitForms(applySemantics(bundled, version, { semantics, discriminator }))
  const toUnformed = forms.origin
  const { root, origin, copies } = splitBytes(forms.root, (pointer) =>
    report(
      'FB3017',
      findPlace(findSpot(toUnformed(pointer))),
      'bytes',
      'a string, as in JSON, parameters and other text',
    ),
  )
  // what follows holds neither the files' data nor an earlier form of the document
  const toWritten = (pointer: string): string => toUnformed(origin(pointer))
  const broken = emptied.flatMap(forms.copies).flatMap(copies)
  const place = (pointer: string): Place => findPlace(findSpot(toWritten(pointer)))
  const findOrigin = (pointer: string): Pick<Place, 'file' | 'pointer'> => {
    const { source, pointer: inFile } = findSpot(toWritten(pointer))
    return { file: source.name, pointer: inFile }
  }
  const { name: source, location, place: inEntry } = files.entry
  const places = new Map(files.sources.map((one) => [one.name, one.place]))
  const locate = ({ file, pointer }: Pick<Place, 'file' | 'pointer'>): Place =>
    (places.get(file) ?? inEntry)(pointer)
  const url = isUrl(location) ? { url: location } : {}
  const document = {
    root,
    version,
    source,
    ...url,
    files: files.read,
    inputs: files.inputs,
    place,
    origin: findOrigin,
    broken,
    isWhole,
    locate,
  }
  return { document, diagnostics: all() }
}

function readVersion(entry: Source, report: Report): Version | undefined {
  const { data } = entry
  const swagger = readOwn(data, 'swagger')
  const version = readOwn(data, 'openapi')
  const text = typeof version === 'number' ? JSON.stringify(version) : version
  if (!isObject(data))
    report('FB1004', entry.place(''), show(data), 'an object with `openapi`, `info` and `paths`')
  else if (swagger !== undefined)
    report(
      'FB1006',
      entry.place('/swagger'),
      `swagger: ${show(swagger)}`,
      'swagger: 2.0, or openapi: 3.0.x, 3.1.x or 3.2.x',
    )
  else if (version === undefined)
    report('FB1004', entry.place(''), 'no field `openapi`', 'openapi: 3.0.x, 3.1.x or 3.2.x')
  else if (typeof text === 'string' && /^3\.0(\.|$)/.test(text)) return '3.0'
  else if (typeof text === 'string' && /^3\.1(\.|$)/.test(text)) return '3.1'
  else if (typeof text === 'string' && /^3\.2(\.|$)/.test(text)) return '3.2'
  else report('FB1006', entry.place('/openapi'), show(version), '3.0.x, 3.1.x or 3.2.x')
  return undefined
}
