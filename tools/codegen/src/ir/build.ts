import {
  catalogue,
  collectDiagnostics,
  hasErrors,
  isMended,
  show,
  type Diagnostic,
  type Report,
} from '../diagnostics.js'
import { isObject, readOwn, pointerTo, type Json } from '../document/json.js'
import type { Document } from '../document/load.js'
import { parseComponentKey, findComponentKey, findSlot } from '../document/shape.js'
import { readTraits } from '../document/traits.js'
import type { Api, NamedSchema } from './api.js'
import {
  findOrigin,
  readExtensions,
  type Reuse,
  formatScalar,
  readNonEmpty,
  type Context,
} from './build-context.js'
import { buildOperations } from './build-operation.js'
import { buildSchema } from './build-schema.js'
import { createReuse, type Translations } from './build-reuse.js'
import { readSecuritySchemes } from './build-security.js'
import { buildDocumentServers } from './build-servers.js'
import { toSchemaName, uniqueNames } from './names.js'
import type { Schema } from './schema.js'
import { omitUndefined } from './schema.js'

export type BuildResult = { readonly api?: Api; readonly diagnostics: readonly Diagnostic[] }

/** Translates a document into the tree that emitters read. After an error, there is no `api`. */
export function buildApi(document: Document): BuildResult {
  const { report, all } = collectDiagnostics()
  const { api } = translate(document, report)
  const diagnostics = all()
  return api === undefined || hasErrors(diagnostics) ? { diagnostics } : { api, diagnostics }
}

/** The translation of a document with errors. `faults` are the nodes that have them. */
type Translation = {
  readonly api?: Api
  readonly faults: readonly string[]
  readonly kept?: NonNullable<Reuse['kept']>
}

/**
 * Translates a document as far as possible. The result is complete only without `faults`; errors
 * that the generator repairs are not among them. What is equal in the first of the `translations`
 * is shared with it and reports nothing again.
 */
export function translate(
  document: Document,
  report: Report,
  translations?: Translations,
): Translation {
  const faults = new Set<string>()
  const found = readOwn(readOwn(document.root, 'components'), 'schemas')
  const components = new Map<string, Json>(isObject(found) ? Object.entries(found) : [])
  const names = nameSchemas([...components.keys()])
  const graph = buildSchemaGraph(components)
  const byName = new Map<string, Schema>()
  let reports = 0
  const context: Context = {
    document,
    components,
    report: (code, pointer, what, expected) => {
      reports++
      if (catalogue[code].severity === 'error' && !isMended(code)) faults.add(pointer)
      report(code, document.place(pointer), what, expected)
    },
    countReports: () => reports,
    schemaName: (key) => names.get(key) ?? key,
    findSchema: (name) => byName.get(name),
    closesCycle: graph.closesCycle,
    reuse: createReuse(document, translations, names, graph.isCyclic),
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
  if (graph.endless.length > 0) return { faults: [...faults] }

  const schemas = graph.order.map((key): NamedSchema => {
    const pointer = pointerTo('/components/schemas', key)
    const found = { node: components.get(key) ?? true, pointer }
    return Object.freeze({
      name: context.schemaName(key),
      key,
      schema: buildSchema({ context, within: key }, found),
      cyclic: graph.isCyclic(key),
      origin: findOrigin(context, pointer),
    })
  })
  for (const { name, schema } of schemas) byName.set(name, schema)
  const securitySchemes = readSecuritySchemes(context)
  const operations = buildOperations(context, securitySchemes)
  const info = readOwn(document.root, 'info')
  const api: Api = Object.freeze({
    title: readNonEmpty(readOwn(info, 'title')) ?? 'API',
    version: formatScalar(readOwn(info, 'version')),
    source: document.source,
    servers: buildDocumentServers(context),
    securitySchemes,
    schemas: Object.freeze(schemas),
    operations,
    extensions: readExtensions(document.root),
    locate: document.locate,
    ...omitUndefined({ description: readNonEmpty(readOwn(info, 'description')) }),
  })
  const { kept } = context.reuse
  return { api, faults: [...faults], ...(kept && { kept }) }
}

/**
 * Assigns unchanged names first, so that a changed one never takes them.
 */
function nameSchemas(keys: readonly string[]): ReadonlyMap<string, string> {
  const unique = uniqueNames()
  const kept = keys.filter((key) => toSchemaName(key) === key)
  const names = new Map(kept.map((key) => [key, unique(key)]))
  for (const key of keys) if (!names.has(key)) names.set(key, unique(toSchemaName(key)))
  return names
}

/** The references between components, and the order of declarations that follows. */
export type Graph = {
  /** Each after those it refers to, except in circles; else in the order of the document. */
  readonly order: readonly string[]
  /** Whether it can be reached from itself. */
  readonly isCyclic: (key: string) => boolean
  /** Whether the target is not declared before the component that refers to it. */
  readonly closesCycle: (from: string | undefined, to: string) => boolean
  /**
   * Circles of references to the same value, whose validation would never end.
   */
  readonly endless: readonly (readonly string[])[]
}

function buildSchemaGraph(components: ReadonlyMap<string, Json>): Graph {
  const needs = new Map<string, readonly string[]>()
  const same = new Map<string, readonly string[]>()
  for (const [key, schema] of components) {
    const refs = isObject(schema) ? readTraits(schema).refs : []
    if (refs.length === 0) {
      needs.set(key, [])
      continue
    }
    const targets = new Set(refs.map((ref) => parseComponentKey(ref) ?? ''))
    needs.set(
      key,
      [...targets].filter((target) => components.has(target)),
    )
    const inPlace = new Set<string>()
    addInPlace(schema, inPlace)
    same.set(
      key,
      [...inPlace].filter((target) => components.has(target)),
    )
  }
  const order = postOrder(needs)
  const position = new Map(order.map((key, index) => [key, index]))
  const cyclic = findCycleMembers(needs)
  return {
    order,
    isCyclic: (key) => cyclic.has(key),
    closesCycle: (from, to) =>
      from !== undefined && (position.get(to) ?? -1) >= (position.get(from) ?? -1),
    endless: listCycles(same),
  }
}

/** Adds the components that a schema refers to for the same value. */
function addInPlace(schema: Json, found: Set<string>): void {
  if (!isObject(schema)) return
  const target = findComponentKey(schema)
  if (target !== undefined) found.add(target)
  for (const keyword of inPlaceApplicators) {
    const value = readOwn(schema, keyword)
    const slot = findSlot('schema', keyword)
    if (typeof value !== 'object' || value === null || slot === undefined) continue
    if (slot.as === 'one') addInPlace(value, found)
    else for (const item of Object.values(value) as readonly Json[]) addInPlace(item, found)
  }
}

/** Keywords whose subschemas apply to the same value (JSON Schema 2020-12, section 10.2). */
const inPlaceApplicators = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
])

type Edges = ReadonlyMap<string, readonly string[]>
type Frame = { readonly key: string; next: number }

/** Depth first without recursion: a chain of ten thousand components needs no stack. */
function postOrder(edges: Edges): readonly string[] {
  const order: string[] = []
  const seen = new Set<string>()
  for (const start of edges.keys()) {
    if (seen.has(start)) continue
    seen.add(start)
    const stack: Frame[] = [{ key: start, next: 0 }]
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const to = edges.get(frame.key)?.[frame.next++]
      if (to === undefined) order.push(stack.pop()?.key ?? frame.key)
      else if (!seen.has(to)) {
        seen.add(to)
        stack.push({ key: to, next: 0 })
      }
    }
  }
  return order
}

/** Strongly connected components (Kosaraju): the nodes that can reach themselves. */
function findCycleMembers(edges: Edges): ReadonlySet<string> {
  const backwards = new Map<string, string[]>([...edges.keys()].map((key) => [key, []]))
  for (const [from, targets] of edges) for (const to of targets) backwards.get(to)?.push(from)
  const seen = new Set<string>()
  const members = new Set<string>()
  for (const start of postOrder(edges).toReversed()) {
    if (seen.has(start)) continue
    seen.add(start)
    const group = [start]
    for (let index = 0; index < group.length; index++) {
      for (const from of backwards.get(group[index] ?? '') ?? []) {
        if (seen.has(from)) continue
        seen.add(from)
        group.push(from)
      }
    }
    if (group.length > 1 || edges.get(start)?.includes(start) === true)
      for (const key of group) members.add(key)
  }
  return members
}

/** One circle for each group of components that refer to each other. */
function listCycles(edges: Edges): readonly (readonly string[])[] {
  const members = findCycleMembers(edges)
  const shown = new Set<string>()
  const found: (readonly string[])[] = []
  for (const start of members) {
    if (shown.has(start)) continue
    const path = [start]
    for (let at = start; ;) {
      shown.add(at)
      const next = (edges.get(at) ?? []).find(
        (to) => members.has(to) && (to === start || !path.includes(to)),
      )
      if (next === undefined || next === start) break
      path.push(next)
      at = next
    }
    found.push(path)
  }
  return found
}
