import { catalogue, collectDiagnostics, hasErrors, isMended, show } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { isObject, own, pointerTo } from '../document/json.js'
import type { Json } from '../document/json.js'
import type { Document } from '../document/load.js'
import type { Api, NamedSchema } from './api.js'
import { readExtensions, omitUndefined, findOrigin, scalar, text } from './build-context.js'
import type { Context } from './build-context.js'
import { schemaGraph } from './build-graph.js'
import { buildOperations } from './build-operation.js'
import { buildSchema } from './build-schema.js'
import { readSecuritySchemes } from './build-security.js'
import { documentServers } from './build-servers.js'
import { schemaName, uniqueNames } from './names.js'
import type { Schema } from './schema.js'

export type BuildResult = { readonly api?: Api; readonly diagnostics: readonly Diagnostic[] }

/** Translates a document into the tree that emitters read. Returns undefined after an error. */
export function buildApi(document: Document): BuildResult {
  const { api, diagnostics } = translate(document)
  return api === undefined || hasErrors(diagnostics) ? { diagnostics } : { api, diagnostics }
}

/** The translation of a document with errors. `faults` are the nodes that have them. */
export type Translation = BuildResult & { readonly faults: readonly string[] }

/**
 * Translates a document as far as possible. The result is complete only without `faults`; errors
 * that the generator repairs are not among them.
 */
export function translate(document: Document): Translation {
  const { report, all } = collectDiagnostics()
  const faults = new Set<string>()
  const found = own(own(document.root, 'components'), 'schemas')
  const components = new Map<string, Json>(isObject(found) ? Object.entries(found) : [])
  const names = nameSchemas([...components.keys()])
  const graph = schemaGraph(components)
  const byName = new Map<string, Schema>()
  const context: Context = {
    document,
    components,
    report: (code, pointer, what, expected) => {
      if (catalogue[code].severity === 'error' && !isMended(code)) faults.add(pointer)
      report(code, document.place(pointer), what, expected)
    },
    schemaName: (key) => names.get(key) ?? key,
    findSchema: (name) => byName.get(name),
    closesCycle: graph.closesCycle,
  }
  for (const circle of graph.endless) {
    const way = [...circle, circle[0] ?? ''].map(show).join(' → ')
    context.report(
      'FB2004',
      pointerTo('/components/schemas', circle[0] ?? ''),
      way,
      'a reference from inside a property or an element',
    )
  }
  if (graph.endless.length > 0) return { diagnostics: all(), faults: [...faults] }

  const schemas = graph.order.map((key): NamedSchema => {
    const pointer = pointerTo('/components/schemas', key)
    const schema = buildSchema(
      { context, within: key },
      { node: components.get(key) ?? true, pointer },
    )
    return Object.freeze({
      name: context.schemaName(key),
      key,
      schema,
      cyclic: graph.isCyclic(key),
      origin: findOrigin(context, pointer),
    })
  })
  for (const { name, schema } of schemas) byName.set(name, schema)
  const securitySchemes = readSecuritySchemes(context)
  const operations = buildOperations(context, securitySchemes)
  const info = own(document.root, 'info')
  const api: Api = Object.freeze({
    title: text(own(info, 'title')) ?? 'API',
    version: scalar(own(info, 'version')),
    source: document.source,
    servers: documentServers(context),
    securitySchemes,
    schemas: Object.freeze(schemas),
    operations,
    extensions: readExtensions(document.root),
    locate: document.locate,
    ...omitUndefined({ description: text(own(info, 'description')) }),
  })
  return { api, diagnostics: all(), faults: [...faults] }
}

/**
 * Assigns unchanged names first, so that a changed one never takes them.
 */
function nameSchemas(keys: readonly string[]): ReadonlyMap<string, string> {
  const unique = uniqueNames()
  const kept = keys.filter((key) => schemaName(key) === key)
  const names = new Map(kept.map((key) => [key, unique(key)]))
  for (const key of keys) if (!names.has(key)) names.set(key, unique(schemaName(key)))
  return names
}
