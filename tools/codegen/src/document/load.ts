import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic, Place, Report } from '../diagnostics.js'
import { bundle } from './bundle.js'
import { spotPlace } from './component-names.js'
import { readFiles } from './files.js'
import type { Input } from './files.js'
import { splitForms } from './forms.js'
import { isObject, own } from './json.js'
import type { JsonObject } from './json.js'
import type { Source } from './source.js'

/** A document in one piece. Every `$ref` in it is to one of its own components. */
export type Document = {
  readonly root: JsonObject
  readonly version: '3.0' | '3.1'
  /** The entry file, relative to the working directory. */
  readonly source: string
  /** The files that it was read from, absolute. */
  readonly files: readonly string[]
  /** All that was looked at on the way. */
  readonly inputs: readonly Input[]
  /** Where a node of `root` was written. Costs a second parse of the file, once, when the line is asked for. */
  readonly place: (pointer: string) => Place
  /** The same without the line, at no cost. */
  readonly origin: (pointer: string) => Pick<Place, 'file' | 'pointer'>
  /** The line of an origin. */
  readonly locate: (origin: Pick<Place, 'file' | 'pointer'>) => Place
}

export type LoadOptions = {
  /** Paths are taken and printed relative to it. Default: the process's. */
  readonly cwd?: string
  /** Follow references to other folders and to URLs. Default: false, as a document may come from anybody. */
  readonly allowRefs?: boolean
  readonly fetch?: typeof globalThis.fetch
}

export type LoadResult = { readonly document?: Document; readonly diagnostics: readonly Diagnostic[] }

/**
 * Reads an OpenAPI 3.0 or 3.1 document, follows its references and joins its files. An empty object stands where a
 * reference leads nowhere, so that one run finds the other faults too; with an error among the diagnostics nothing may be made of it.
 */
export async function loadDocument(entry: string, options: LoadOptions = {}): Promise<LoadResult> {
  const { cwd = process.cwd(), allowRefs = false, fetch = globalThis.fetch } = options
  const { report, all } = collectDiagnostics()
  const files = await readFiles(entry, { cwd, allowRefs, fetch }, report)
  const version = files && versionOf(files.entry, report)
  if (files === undefined || version === undefined) return { diagnostics: all() }
  const { root: whole, spot } = bundle(files, report)
  const { root, origin: written } = splitForms(whole)
  const place = (pointer: string): Place => spotPlace(spot(written(pointer)))
  const origin = (pointer: string): Pick<Place, 'file' | 'pointer'> => {
    const { source, pointer: inFile } = spot(written(pointer))
    return { file: source.name, pointer: inFile }
  }
  const sources = new Map(files.sources.map((source) => [source.name, source]))
  const locate = ({ file, pointer }: Pick<Place, 'file' | 'pointer'>): Place => (sources.get(file) ?? files.entry).place(pointer)
  const { name: source } = files.entry
  return { document: { root, version, source, files: files.read, inputs: files.inputs, place, origin, locate }, diagnostics: all() }
}

function versionOf(entry: Source, report: Report): '3.0' | '3.1' | undefined {
  const { data } = entry
  const swagger = own(data, 'swagger')
  const version = own(data, 'openapi')
  const written = typeof version === 'number' ? JSON.stringify(version) : version
  if (!isObject(data)) report('FB1004', entry.place(''), show(data), 'an object with `openapi`, `info` and `paths`')
  else if (swagger !== undefined) report('FB1005', entry.place('/swagger'), `swagger: ${show(swagger)}`, 'openapi: 3.0.x or 3.1.x')
  else if (version === undefined) report('FB1004', entry.place(''), 'no field `openapi`', 'openapi: 3.0.x or 3.1.x')
  else if (typeof written === 'string' && /^3\.0(\.|$)/.test(written)) return '3.0'
  else if (typeof written === 'string' && /^3\.1(\.|$)/.test(written)) return '3.1'
  else report('FB1006', entry.place('/openapi'), show(version), '3.0.x or 3.1.x')
  return undefined
}
