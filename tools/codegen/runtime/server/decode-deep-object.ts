import {
  BrokenText,
  decodeItems,
  decodeSeveral,
  define,
  groupItems,
  unescapeValue,
  type Pair,
} from './decode-values.js'
import { findFieldShape, listLeaves, type Leaves, type Shapes } from './shape.js'

/** `name[key]=value`, also nested; `name[]=value` and `name[key][]=value` are lists. */
export function decodeDeepObject(
  name: string,
  pairs: readonly Pair[],
  leaves: Leaves,
  shapes: Shapes,
): unknown {
  const list = pairs.filter(([other]) => other === `${name}[]`)
  if (list.length > 0)
    return decodeItems(
      list.map(([, text]) => unescapeValue(text)),
      leaves,
      shapes,
    )
  const own = pairs.flatMap(([other, text]) => {
    const keys =
      other.startsWith(`${name}[`) && other.endsWith(']')
        ? other.slice(name.length + 1, -1).split('][')
        : undefined
    return keys === undefined ? [] : [[keys, unescapeValue(text)] as const]
  })
  if (own.some(([keys]) => keys.length > deepest))
    throw new BrokenText(`more than ${deepest} levels`)
  return own.length === 0 ? undefined : decodeDeepRecord(own, leaves, shapes)
}

const deepest = 100

type Entry = readonly [keys: readonly string[], text: string]

function decodeDeepRecord(entries: readonly Entry[], leaves: Leaves, shapes: Shapes): object {
  const record = {}
  for (const [key, own] of groupItems(entries, ([[first = '']]) => first)) {
    const shape = findFieldShape(leaves, key) ?? { kind: 'any' }
    const inner = listLeaves(shape, shapes)
    const rest = own.map(([[, ...keys], text]): Entry => [keys, text])
    const texts = own.map(([, text]) => text)
    const isList = inner.lists.length > 0 && rest.every(([keys]) => keys.join() === '')
    define(
      record,
      key,
      rest.every(([keys]) => keys.length === 0)
        ? decodeSeveral(texts, shape, inner, shapes)
        : isList
          ? decodeItems(texts, inner, shapes)
          : decodeDeepRecord(rest, inner, shapes),
    )
  }
  return record
}
