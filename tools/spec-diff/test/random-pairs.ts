import { createRandom } from './random.js'
import { createSchemaMaker, type JsonSchema } from './random-schemas.js'
import type { Pair, SharedSchemas } from './witnesses.js'

/** Schemas and mutations of them, the same for each seed, with the schemas that they refer to. */
export function createRandomPairs(
  seed: number,
  count: number,
): { readonly pairs: readonly Pair[]; readonly shared: SharedSchemas } {
  const random = createRandom(seed)
  const names = ['Text', 'Pick', 'Box']
  // what stands at the same value refers to those before it, what stands within it to all of them
  const [text, pick, any] = [
    createSchemaMaker(random, []),
    createSchemaMaker(random, ['Text']),
    createSchemaMaker(random, names),
  ]
  const box = (properties: JsonSchema): JsonSchema => ({
    type: 'object',
    properties,
    additionalProperties: false,
  })
  const [a, b] = [any.fresh(2), any.fresh(1)]
  const before = { Text: text.fresh(1), Pick: pick.fresh(2), Box: box({ a, b }) }
  const after = {
    Text: random.chance(0.5) ? text.changed(before.Text) : before.Text,
    Pick: random.chance(0.5) ? pick.changed(before.Pick) : before.Pick,
    Box: random.chance(0.5) ? box({ a: any.changed(a), b }) : before.Box,
  }
  const pairs = Array.from({ length: count }, (): Pair => {
    const schema = any.fresh()
    return { before: schema, after: random.chance(0.9) ? any.changed(schema) : schema }
  })
  return { pairs, shared: { before, after } }
}
