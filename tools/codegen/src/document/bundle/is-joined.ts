import { isList, isObject, readOwn, type Json, type JsonObject } from '../json.js'
import { findSlot, shapes, type Shape } from '../shape.js'
import { listSchemas, readTraits, traits } from '../traits.js'
import { sections } from './component-names.js'

/** Deeper nesting is rejected, since readers of the bundle may be recursive. */
export const deepest = 200

/**
 * Whether a document of one file is its own bundle: every reference is a plain one to a component that
 * stays where it is, of its shape. Most large documents are, and then nothing has to be copied. If in doubt, false.
 */
export function isJoined(root: Json): boolean {
  const components = readOwn(root, 'components')
  const targets = new Map<string, Shape>()
  for (const [shape, section] of Object.entries(sections) as [Shape, string][]) {
    const members = readOwn(components, section)
    if (!isObject(members)) continue
    for (const [name, target] of Object.entries(members))
      // one that refers on may lead back to itself
      if (isObject(target) && !Object.hasOwn(target, '$ref') && !/[~/%]/.test(name))
        targets.set(`#/components/${section}/${name}`, shape)
  }
  const leadsTo = (ref: Json | undefined, shape: Shape): boolean => {
    const found = typeof ref === 'string' ? targets.get(ref) : undefined
    return found !== undefined && shapes[found] === shapes[shape]
  }
  const isJoinedSchema = (schema: JsonObject, depth: number): boolean => {
    const { bits, refs, depth: levels } = readTraits(schema)
    return (
      depth + levels <= deepest &&
      (bits & (traits.identifier | traits.mixedReference)) === 0 &&
      refs.every((ref) => leadsTo(ref, 'schema'))
    )
  }
  const nodes: Json[] = [root]
  const nodeShapes: Shape[] = ['document']
  const depths = [0]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    const shape = nodeShapes.pop() ?? 'document'
    const depth = depths.pop() ?? 0
    if (!isObject(node)) continue
    if (depth > deepest) return false
    if (shape === 'schema') {
      if (!isJoinedSchema(node, depth)) return false
      continue
    }
    const ref = node['$ref']
    if (ref !== undefined && shape !== 'document') {
      if (!leadsTo(ref, shape) || Object.keys(node).length > 1) return false
      continue
    }
    for (const key in node) {
      const value = node[key]
      if (typeof value !== 'object' || value === null) continue
      const slot = findSlot(shape, key)
      if (slot === undefined) continue
      if (slot.as !== 'one' && (slot.as === 'list') !== isList(value)) continue
      const inner = (slot.as === 'one' ? [value] : value) as JsonObject
      for (const name in inner) {
        nodes.push(inner[name] ?? null)
        nodeShapes.push(slot.shape)
        depths.push(depth + 1)
      }
    }
  }
  return listSchemas(root, traits.discriminator).every(
    ({ discriminator = null }) => !isObject(discriminator) || isMapped(discriminator, leadsTo),
  )
}

/** Whether the targets of a discriminator are written as references to schemas. */
function isMapped(
  discriminator: Json,
  leadsTo: (ref: Json | undefined, shape: Shape) => boolean,
): boolean {
  const [mapping, fallback] = [
    readOwn(discriminator, 'mapping'),
    readOwn(discriminator, 'defaultMapping'),
  ]
  const all = [
    ...(isObject(mapping) ? Object.values(mapping) : []),
    ...(fallback === undefined ? [] : [fallback]),
  ]
  return all.every((target) => leadsTo(target, 'schema'))
}
