import type { Api } from '../ir/api.js'
import { match, type Cases, type Schema } from '../ir/schema.js'

/** Whether raw bytes stand anywhere in the values of a schema. */
export function holdsBinary(api: Api, schema: Schema, within: readonly string[] = []): boolean {
  const some = (schemas: readonly Schema[]): boolean => schemas.some((inner) => holdsBinary(api, inner, within))
  const no = (): boolean => false
  const cases: Cases<boolean> = {
    any: no,
    never: no,
    null: no,
    boolean: no,
    number: no,
    string: no,
    enum: no,
    not: no,
    binary: () => true,
    array: ({ prefix, items }) => some([...prefix, items]),
    object: ({ properties, patterns, additional }) => some([...[...properties, ...patterns].map(({ schema: inner }) => inner), additional]),
    union: ({ options }) => some(options),
    oneOf: ({ options }) => some(options),
    intersection: ({ parts }) => some(parts),
    conditional: ({ then, otherwise }) => some([then, otherwise]),
    unevaluated: ({ base }) => holdsBinary(api, base, within),
    ref: ({ name }) => {
      const target = within.includes(name) ? undefined : api.schemas.find((candidate) => candidate.name === name)
      return target !== undefined && holdsBinary(api, target.schema, [...within, name])
    },
  }
  return match(schema, cases)
}
