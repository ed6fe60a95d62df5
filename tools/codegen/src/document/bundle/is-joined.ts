import { isObject, readOwn, type Json } from '../json.js'
import { shapes, type Shape } from '../shape.js'
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
  const isUnitJoined = (unit: Json, shape: Shape, depth: number): boolean => {
    if (!isObject(unit)) return true
    const { bits, refs, otherRefs, depth: levels } = readTraits(unit, shape)
    return (
      depth + levels <= deepest &&
      (bits & (traits.identifier | traits.mixedReference)) === 0 &&
      refs.every((ref) => leadsTo(ref, 'schema')) &&
      [...otherRefs].every(([at, all]) => [...all].every((ref) => leadsTo(ref, at)))
    )
  }
  const areJoined = (parent: Json, shape: 'document' | 'components', depth: number): boolean =>
    Object.entries(shapes[shape]).every(([key, slot]) => {
      const value = readOwn(parent, key) ?? null
      if (slot.shape === 'components') return areJoined(value, 'components', depth + 1)
      return (
        !isObject(value) ||
        Object.values(value).every((unit) => isUnitJoined(unit, slot.shape, depth + 1))
      )
    })
  if (!areJoined(root, 'document', 0) || readOwn(components, '$ref') !== undefined) return false
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
