import { collectDiagnostics, show } from '../diagnostics.js'
import type { Diagnostic } from '../diagnostics.js'
import { nearest } from '@farebox/command-line'
import { fieldsOf } from '../document/fields.js'
import { isObject, own, pointerTo } from '../document/json.js'
import type { Json } from '../document/json.js'
import type { Document } from '../document/load.js'
import { slotOf } from '../document/shape.js'
import type { Shape } from '../document/shape.js'

type Place = { readonly node: Json; readonly shape: Shape; readonly pointer: string }

/**
 * Reports fields that OpenAPI does not have. A schema of OpenAPI 3.1 may have any field, so that
 * only what looks like a slip is reported there.
 */
export function unknownFields({ root, version, place }: Document): readonly Diagnostic[] {
  const { report, all } = collectDiagnostics()
  const stack: Place[] = [{ node: root, shape: 'document', pointer: '' }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, shape, pointer } = next
    if (!isObject(node) || own(node, '$ref') !== undefined) continue
    const known = fieldsOf.get(shape)
    for (const key of Object.keys(node)) {
      if (known?.has(key) === false && !key.startsWith('x-')) {
        const meant = nearest(key, known)
        if (meant !== undefined || shape !== 'schema' || version === '3.0')
          report(
            'FB1009',
            place(pointerTo(pointer, key)),
            `${show(key)} in a ${shape}`,
            meant === undefined ? 'a field of OpenAPI' : `${show(meant)}; did you mean that?`,
          )
      }
      pushBelow(stack, node[key] as Json, shape, key, pointer)
    }
  }
  return all()
}

function pushBelow(stack: Place[], value: Json, parent: Shape, key: string, pointer: string): void {
  const slot = typeof value === 'object' && value !== null ? slotOf(parent, key) : undefined
  if (slot === undefined) return
  const { shape, as } = slot
  if (as === 'one') stack.push({ node: value, shape, pointer: pointerTo(pointer, key) })
  else
    for (const [name, node] of Object.entries(value as object))
      stack.push({ node: node as Json, shape, pointer: pointerTo(pointer, key, name) })
}
