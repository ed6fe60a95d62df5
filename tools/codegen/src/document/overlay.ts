import { exec } from 'jsonpath-rfc9535'
import { show } from '../diagnostics.js'
import type { Report } from '../diagnostics.js'
import { isList, isObject, readOwn, pointerTo, valueAt } from './json.js'
import type { Json } from './json.js'
import type { Source } from './source.js'
import { describeKind, OverlayFault, trace } from './traced.js'
import type { TracedDocument, TracedValue } from './traced.js'

/**
 * A document changed by an overlay (OpenAPI Overlay 1.0, 1.1 and 1.2). Places are those of the
 * document or of the overlay, whichever wrote the value. Reports an error of the overlay and
 * returns undefined.
 */
export function applyOverlay(source: Source, overlay: Source, report: Report): Source | undefined {
  const { data } = overlay
  const actions = readOwn(data, 'actions')
  const version = readOwn(data, 'overlay')
  if (typeof version !== 'string' || !/^1\.[012]\.\d/.test(version) || !isList(actions)) {
    report(
      'FB1010',
      overlay.place(''),
      show(version),
      'an object with `overlay: 1.0.0`, 1.1.0 or 1.2.0, `info` and `actions`',
    )
    return undefined
  }
  if (!isObject(source.data)) return source
  const document = trace(source, source.data)
  for (const index of actions.keys()) {
    const pointer = pointerTo('/actions', index)
    try {
      const action = readAction(overlay, pointer)
      if (applyAction(document, action) === 0)
        report(
          'FB1012',
          overlay.place(`${pointer}/target`),
          show(action.target),
          'a path to a node',
        )
    } catch (error) {
      if (!(error instanceof OverlayFault)) throw error
      report('FB1010', overlay.place(pointer), error.message, error.expected)
      return undefined
    }
  }
  const place: Source['place'] = (pointer) => {
    const origin = document.findOrigin(pointer)
    return origin.source.place(origin.pointer)
  }
  const references = new Set([...source.references, ...overlay.references])
  return { ...source, data: document.root, references, place }
}

const wholeAction = 'an action with `target`, and `update`, `copy` or `remove: true`'

type Action = { readonly target: string } & (
  | { readonly remove: true }
  | { readonly update: TracedValue }
  | { readonly copy: string }
)

/** Reads an action, with the fields of the reusable action it refers to (Overlay 1.2.0). */
function readAction(overlay: Source, pointer: string): Action {
  const action = valueAt(overlay.data, pointer) ?? null
  const reference = readOwn(action, '$ref')
  const reused = reference === undefined ? '' : locateAction(overlay, reference)
  const field = (name: string): TracedValue | undefined => {
    for (const from of [pointer, reused].filter((one) => one !== '')) {
      const value = readOwn(valueAt(overlay.data, from), name)
      if (value !== undefined)
        return { value, origin: { source: overlay, pointer: pointerTo(from, name) } }
    }
    return undefined
  }
  const [target, update, copy] = [field('target')?.value, field('update'), field('copy')?.value]
  if (typeof target !== 'string') throw new OverlayFault(`target ${show(target)}`, wholeAction)
  if (field('remove')?.value === true) return { target, remove: true }
  if (update && copy !== undefined) throw new OverlayFault('both update and copy', 'one of them')
  if (update) return { target, update }
  if (typeof copy === 'string') return { target, copy }
  throw new OverlayFault(
    copy === undefined ? 'neither update, copy nor remove' : `copy ${show(copy)}`,
    wholeAction,
  )
}

/** The pointer to the fields of the reusable action that a reference names. */
function locateAction(overlay: Source, reference: Json): string {
  const pointer =
    typeof reference === 'string' && reference.startsWith('#/components/actions/')
      ? `${reference.slice(1)}/fields`
      : ''
  if (pointer === '' || !isObject(valueAt(overlay.data, pointer)))
    throw new OverlayFault(
      `$ref ${show(reference)}, which does not name an action`,
      '#/components/actions/NAME of an action with `fields`',
    )
  return pointer
}

/** Applies an action, and returns how many nodes it selects. */
function applyAction(document: TracedDocument, action: Action): number {
  const selected = select(document, action.target)
  if ('remove' in action) {
    if (selected.has(''))
      throw new OverlayFault(
        `${show(action.target)}, which selects the whole document`,
        'a part of the document',
      )
    document.remove(selected)
    return selected.size
  }
  const kinds = new Set(
    [...selected].map((pointer) => describeKind(document.at(pointer)?.value ?? null)),
  )
  if (kinds.size > 1)
    throw new OverlayFault(
      `${show(action.target)}, which selects ${[...kinds].toSorted().join(' and ')}`,
      'a path to nodes of one kind',
    )
  const update = 'update' in action ? action.update : selectOne(document, action.copy)
  for (const pointer of selected) document.merge(pointer, update)
  return selected.size
}

/** The pointers to the nodes that a JSONPath selects, each once. */
function select({ root }: TracedDocument, query: string): ReadonlySet<string> {
  const selected = new Set<string>()
  try {
    exec(
      root as Parameters<typeof exec>[0],
      query,
      (_, path) => void selected.add(pointerTo('', ...path)),
    )
  } catch (error) {
    throw new OverlayFault(
      `${show(query)}, ${error instanceof Error ? error.message : 'which is not a JSONPath'}`,
      'a JSONPath (RFC 9535)',
    )
  }
  return selected
}

function selectOne(document: TracedDocument, query: string): TracedValue {
  const selected = select(document, query)
  const [pointer = ''] = selected
  if (selected.size !== 1)
    throw new OverlayFault(
      `copy ${show(query)}, which selects ${selected.size} nodes`,
      'a path to one node',
    )
  return document.at(pointer) as TracedValue
}
