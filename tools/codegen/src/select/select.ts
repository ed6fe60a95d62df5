import { nearest } from '@farebox/command-line'
import { collectDiagnostics, show, type Diagnostic } from '../diagnostics.js'
import {
  isList,
  isObject,
  readOwn,
  pointerTo,
  valueAt,
  type Json,
  type JsonObject,
} from '../document/json.js'
import type { Document } from '../document/load.js'
import { findSlot, mapMembers, type Slot } from '../document/shape.js'

/** Which operations of a document to generate. */
export type Selection = {
  /** Only operations that match one of these are selected. Empty: all. */
  readonly include: readonly Filter[]
  /** Operations that match one of these are left out, even if they are included. */
  readonly exclude: readonly Filter[]
  /** Leave out the components that no operation needs, as filters do. */
  readonly prune: boolean
}

type SelectionResult = { readonly document: Document; readonly diagnostics: readonly Diagnostic[] }

/**
 * Reduces a document to the selected operations and the components that they need. Reports a filter
 * that matches no operation, and an empty selection.
 */
export function select(
  document: Document,
  { include, exclude, prune }: Selection,
): SelectionResult {
  const filters = [...include, ...exclude]
  if (filters.length === 0 && !prune) return { document, diagnostics: [] }
  const { report, all } = collectDiagnostics()
  const unmatched = new Set(filters)
  const exact = new Map<Filter, Set<string>>(filters.map((filter) => [filter, new Set()]))
  let left = 0
  const isSelected: IsSelected = (candidate) => {
    for (const filter of unmatched) {
      if (filter.matches(candidate)) unmatched.delete(filter)
      else for (const text of filter.exact(candidate)) exact.get(filter)?.add(text)
    }
    const isWanted =
      (include.length === 0 || include.some(({ matches }) => matches(candidate))) &&
      !exclude.some(({ matches }) => matches(candidate))
    if (isWanted) left++
    return isWanted
  }
  const root = dropComponents({ ...document.root, ...selectOperations(document.root, isSelected) })
  for (const filter of unmatched) {
    const suggestion = nearest(filter.text, exact.get(filter) ?? [])
    const found = `${include.includes(filter) ? 'include' : 'exclude'} ${show(filter.text)}`
    report(
      'FB1013',
      document.place('/paths'),
      found,
      suggestion === undefined
        ? 'a filter for an operation'
        : `${show(suggestion)}; did you mean that?`,
    )
  }
  if (filters.length > 0 && left === 0)
    report('FB1014', document.place('/paths'), 'no operation', 'at least one')
  const broken = document.broken.filter((pointer) => valueAt(root, pointer) !== undefined)
  return { document: { ...document, root, broken }, diagnostics: all() }
}

type IsSelected = Filter['matches']

function selectOperations(root: JsonObject, isSelected: IsSelected): JsonObject {
  const sections = ['paths', 'webhooks'].flatMap((section): [string, Json][] => {
    const items = readOwn(root, section)
    return isObject(items) ? [[section, selectItems(items, isSelected)]] : []
  })
  return Object.fromEntries(sections)
}

function selectItems(items: JsonObject, isSelected: IsSelected): JsonObject {
  const kept = Object.entries(items).flatMap(([path, item]): [string, Json][] => {
    if (!isObject(item) || path.startsWith('x-')) return [[path, item]]
    const fields = Object.entries(item).flatMap(([field, node]) =>
      selectField(field, node, path, isSelected),
    )
    return fields.some(([field]) => findOperationSlot(field))
      ? [[path, Object.fromEntries(fields)]]
      : []
  })
  return Object.fromEntries(kept)
}

/** A field of a path item, with the selected operations; empty if it had only others. */
function selectField(
  field: string,
  node: Json,
  path: string,
  isSelected: IsSelected,
): readonly [string, Json][] {
  const slot = findOperationSlot(field)
  if (!slot || !isObject(node)) return [[field, node]]
  if (slot.as === 'one') return isSelected({ method: field, path, node }) ? [[field, node]] : []
  const kept = Object.entries(node).filter(
    ([method, operation]) => !isObject(operation) || isSelected({ method, path, node: operation }),
  )
  return kept.length === 0 ? [] : [[field, Object.fromEntries(kept)]]
}

/** The operations in a field of a path item: one, or those of additional methods. */
function findOperationSlot(field: string): Slot | undefined {
  const slot = findSlot('pathItem', field)
  return slot?.shape === 'operation' ? slot : undefined
}

/** Security schemes stay, as requirements name them without a reference. */
function dropComponents(root: JsonObject): JsonObject {
  const components = readOwn(root, 'components')
  if (!isObject(components)) return root
  const reached = findReached(root)
  const kept = mapMembers(components, (members, section) =>
    isObject(members) &&
    section !== 'securitySchemes' &&
    findSlot('components', section) !== undefined
      ? Object.fromEntries(
          Object.entries(members).filter(([name]) =>
            reached.has(pointerTo('/components', section, name)),
          ),
        )
      : members,
  )
  return { ...root, components: kept }
}

/** Pointers to the components that operations and webhooks refer to. */
function findReached(root: JsonObject): ReadonlySet<string> {
  const reached = new Set<string>()
  const stack: Json[] = [readOwn(root, 'paths') ?? null, readOwn(root, 'webhooks') ?? null]
  const reach = (target: Json | undefined): void => {
    const pointer =
      typeof target === 'string' && target.startsWith('#/components/') ? target.slice(1) : undefined
    if (pointer === undefined || reached.has(pointer)) return
    reached.add(pointer)
    stack.push(valueAt(root, pointer) ?? null)
  }
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isList(node)) for (const item of node) stack.push(item)
    if (!isObject(node)) continue
    reach(readOwn(node, '$ref'))
    const mapping = readOwn(readOwn(node, 'discriminator'), 'mapping')
    if (isObject(mapping)) for (const target of Object.values(mapping)) reach(target)
    for (const key of Object.keys(node)) stack.push(node[key] as Json)
  }
  return reached
}

/** An operation as filters see it. */
export type Candidate = {
  readonly method: string
  readonly path: string
  readonly node: JsonObject
}

export type Filter = {
  /** As the user wrote it. */
  readonly text: string
  readonly matches: (candidate: Candidate) => boolean
  /** Filters for exactly this operation, one for each of its tags. Empty for an x- field. */
  readonly exact: (candidate: Candidate) => readonly string[]
}

/** What filters look like, for messages. */
export const filterForms =
  'tag:NAME, path:/PATH, id:OPERATION, method:GET or x-FIELD[:VALUE], in which * stands for anything but a slash and ** for anything'

/** Reads `tag:pets`, `path:/admin/**`, `x-internal` and the like; undefined for anything else. */
export function readFilter(text: string): Filter | undefined {
  const colon = text.indexOf(':')
  const [kind, pattern] =
    colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)]
  const extension = kind.startsWith('x-') && kind.length > 2
  if (!extension && (pattern === undefined || pattern === '')) return undefined
  const fits = createMatcher(pattern ?? '**', kind === 'method' ? 'i' : '')
  if (extension)
    return {
      text,
      matches: ({ node }) => matchesValue(readOwn(node, kind), pattern, fits),
      exact: () => [],
    }
  const values = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  return (
    values && {
      text,
      matches: (candidate) => values(candidate).some(fits),
      exact: (candidate) => values(candidate).map((value) => `${kind}:${value}`),
    }
  )
}

const kinds: Readonly<Record<string, (candidate: Candidate) => readonly string[]>> = {
  tag: ({ node }) => listStrings(readOwn(node, 'tags')),
  path: ({ path }) => [path],
  id: ({ node }) => listStrings([readOwn(node, 'operationId') ?? null]),
  method: ({ method }) => [method],
}

function listStrings(value: unknown): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Without a pattern, a field counts that is there and not false. */
function matchesValue(
  value: unknown,
  pattern: string | undefined,
  matches: (text: string) => boolean,
): boolean {
  if (value === undefined) return false
  if (pattern === undefined) return value !== false && value !== null
  return (isList(value) ? value : [value]).some((item) =>
    matches(typeof item === 'string' ? item : JSON.stringify(item)),
  )
}

function createMatcher(pattern: string, flags: string): (text: string) => boolean {
  const source = pattern
    .split(/(\*+)/)
    .map((part) =>
      part === '*'
        ? '[^/]*'
        : part.startsWith('*')
          ? '.*'
          : part.replaceAll(/[\\^$.+?()[\]{}|/]/g, '\\$&'),
    )
  const expression = new RegExp(`^${source.join('')}$`, `s${flags}`)
  return (text) => expression.test(text)
}
