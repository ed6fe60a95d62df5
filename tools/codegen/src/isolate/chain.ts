import { isObject, own, pointerTo, parsePointer } from '../document/json.js'
import type { Json, JsonObject } from '../document/json.js'
import { findSlot } from '../document/shape.js'
import type { Shape } from '../document/shape.js'

/** An object of OpenAPI on the path to a place, and its keyword in the enclosing object. */
export type Step = {
  readonly shape: Shape
  readonly pointer: string
  readonly node: Json
  readonly via: string
}

/**
 * The objects of OpenAPI around a place, the document first, and the remaining segments after the
 * last of them.
 */
export function chainTo(
  root: JsonObject,
  pointer: string,
): { readonly steps: readonly [Step, ...Step[]]; readonly rest: readonly string[] } {
  let step: Step = { shape: 'document', pointer: '', node: root, via: '' }
  const steps: [Step, ...Step[]] = [step]
  const segments = parsePointer(pointer)
  for (let next = 0; next < segments.length;) {
    const keyword = segments[next] ?? ''
    const slot = findSlot(step.shape, keyword)
    const ends = slot === undefined || (slot.as !== 'one' && next + 1 >= segments.length)
    if (ends) return { steps, rest: segments.slice(next) }
    // a map of callbacks has names in place of keywords
    const length = slot.as === 'one' ? 1 : 2
    let node: Json = step.node
    let at = step.pointer
    for (const segment of segments.slice(next, next + length)) {
      node =
        (Array.isArray(node) ? (node as readonly Json[])[Number(segment)] : own(node, segment)) ??
        null
      at = pointerTo(at, segment)
    }
    step = { shape: slot.shape, pointer: at, node, via: keyword }
    steps.push(step)
    next += length
  }
  return { steps, rest: [] }
}

/** Where the document refers to each of its components: target → the objects with the `$ref`. */
export function findReferences(root: JsonObject): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  const stack: Pick<Step, 'shape' | 'pointer' | 'node'>[] = [
    { shape: 'document', pointer: '', node: root },
  ]
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { shape, pointer, node } = step
    if (!isObject(node)) continue
    const ref = own(node, '$ref')
    if (typeof ref === 'string') {
      const places = found.get(ref.slice(1)) ?? []
      places.push(pointer)
      found.set(ref.slice(1), places)
    }
    for (const [key, value] of Object.entries(node)) {
      const slot = findSlot(shape, key)
      if (slot === undefined || typeof value !== 'object' || value === null) continue
      const at = pointerTo(pointer, key)
      if (slot.as === 'one') stack.push({ shape: slot.shape, pointer: at, node: value })
      else
        for (const [name, item] of Object.entries(value))
          stack.push({ shape: slot.shape, pointer: pointerTo(at, name), node: item })
    }
  }
  return found
}
