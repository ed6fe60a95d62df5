import { isList, isObject, segmentsOf } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'

/**
 * A change of a node: `drop` removes it, `open` makes a schema accept every value, `loosen` allows
 * more than one option of its `oneOf` to match.
 */
export type Edit = 'drop' | 'open' | 'loosen'

type Tree = { edit?: Edit; readonly below: Map<string, Tree> }

/** Applies edits to a document. Unchanged nodes are shared with the original. */
export function applyEdits(root: JsonObject, edits: ReadonlyMap<string, Edit>): JsonObject {
  const tree: Tree = { below: new Map() }
  for (const [pointer, edit] of edits) {
    let at = tree
    for (const segment of segmentsOf(pointer)) {
      const next = at.below.get(segment) ?? { below: new Map() }
      at.below.set(segment, next)
      at = next
    }
    at.edit = edit
  }
  return editNode(root, tree) as JsonObject
}

function editNode(node: Json, { edit, below }: Tree): Json | undefined {
  if (edit === 'drop') return undefined
  if (edit === 'open') return opened
  if (isList(node))
    return node.map((item, index) => editMember(item, below.get(String(index))) ?? null)
  if (!isObject(node)) return node
  const members = Object.entries(node).flatMap(([key, value]): [string, Json][] => {
    const item = editMember(value, below.get(key))
    return item === undefined ? [] : [[edit === 'loosen' && key === 'oneOf' ? 'anyOf' : key, item]]
  })
  return Object.fromEntries(members)
}

function editMember(value: Json, tree: Tree | undefined): Json | undefined {
  return tree === undefined ? value : editNode(value, tree)
}

/** Generated documentation states why the type is `unknown`. */
const opened: JsonObject = { description: 'Accepts every value, as the document has a fault here.' }
