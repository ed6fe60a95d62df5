import { createLookup } from '../../emit/resolve.js'
import type { Api } from '../../ir/api.js'
import { match, type Cases, type Json, type Schema } from '../../ir/schema.js'

/** The kinds of values of a schema, which determine how a string is parsed. */
export function shape(schema: Schema): Json {
  const choice = (of: readonly Schema[]): Json => ({ kind: 'choice', of: of.map(shape) })
  const any = (): Json => ({ kind: 'any' })
  const cases: Cases<Json> = {
    any,
    never: any,
    null: any,
    not: any,
    boolean: () => ({ kind: 'boolean' }),
    number: () => ({ kind: 'number' }),
    string: () => ({ kind: 'text' }),
    binary: () => ({ kind: 'file' }),
    enum: ({ values }) => ({ kind: 'values', values }),
    array: ({ prefix, items }) => ({
      kind: 'list',
      ...(prefix.length > 0 && { prefix: prefix.map(shape) }),
      items: shape(items),
    }),
    object: ({ properties, patterns, additional }) => {
      const rest = [
        ...patterns.map((pattern) => pattern.schema),
        ...(additional.kind === 'never' ? [] : [additional]),
      ]
      const fields = Object.fromEntries(
        properties.map(({ name, schema: field }) => [name, shape(field)]),
      )
      return {
        kind: 'record',
        fields,
        ...(rest.length > 0 && {
          rest: rest.length === 1 && rest[0] ? shape(rest[0]) : choice(rest),
        }),
      }
    },
    union: ({ options }) => choice(options),
    oneOf: ({ options }) => choice(options),
    intersection: ({ parts }) => choice(parts),
    conditional: ({ then, otherwise }) => choice([then, otherwise]),
    unevaluated: ({ base }) => shape(base),
    ref: ({ name }) => ({ kind: 'ref', name }),
  }
  return match(schema, cases)
}

/** The shapes of all schemas that these refer to, each once. */
export function namedShapes(api: Api, roots: readonly Json[]): ReadonlyMap<string, Json> {
  const lookup = createLookup(api)
  const found = new Map<string, Json>()
  const waiting = roots.flatMap(listNames)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const expression = shape(lookup(name))
    found.set(name, expression)
    waiting.push(...listNames(expression))
  }
  return found
}

function listNames(value: Json): string[] {
  if (value === null || typeof value !== 'object') return []
  const { kind, name } = value as { readonly kind?: Json; readonly name?: Json }
  if (kind === 'values') return []
  if (kind === 'ref' && typeof name === 'string') return [name]
  return Object.values(value).flatMap(listNames)
}
