import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Kind, Notes, Of, Property, Schema } from '../ir/schema.js'
import { code } from './code.js'
import { typeText, type TypeContext } from './type-text.js'

const notes: Notes = { origin: { file: 'x.yaml', pointer: '' } }
const context: TypeContext = { named: (name) => code`types.${name}`, binary: code`Bytes` }
const printType = (schema: Schema, more: Partial<TypeContext> = {}) =>
  typeText(schema, { ...context, ...more }).text

const any: Schema = { kind: 'any', notes }
const never: Schema = { kind: 'never', notes }
const nil: Schema = { kind: 'null', notes }
const boolean: Schema = { kind: 'boolean', notes }
const number: Schema = { kind: 'number', integer: true, notes }
const string: Schema = { kind: 'string', notes }
const binary: Schema = { kind: 'binary', notes }
const ref: Schema = { kind: 'ref', name: 'Pet', cyclic: false, notes }
const enumeration = (...values: Of<'enum'>['values']): Schema => ({ kind: 'enum', values, notes })
const array = (items: Schema, more: Partial<Of<'array'>> = {}): Schema => ({
  kind: 'array',
  prefix: [],
  items,
  unique: false,
  notes,
  ...more,
})
const union = (...options: Schema[]): Schema => ({ kind: 'union', options, notes })
const oneOf = (...options: Schema[]): Schema => ({ kind: 'oneOf', options, notes })
const all = (...parts: Schema[]): Schema => ({ kind: 'intersection', parts, notes })
const conditional: Schema = { kind: 'conditional', when: any, then: any, otherwise: any, notes }
const not: Schema = { kind: 'not', schema: string, notes }
const unevaluated = (base: Schema): Schema => ({
  kind: 'unevaluated',
  base,
  properties: never,
  notes,
})
const field = (name: string, schema: Schema, more: Partial<Property> = {}): Property => ({
  name,
  schema,
  required: true,
  ...more,
})
const demand = (name: string): Schema => object([], { alsoRequired: [name] })
const object = (properties: readonly Property[], more: Partial<Of<'object'>> = {}): Schema => ({
  kind: 'object',
  properties,
  alsoRequired: [],
  patterns: [],
  additional: any,
  dependentRequired: [],
  dependentSchemas: [],
  notes,
  ...more,
})

const a = object([field('a', string)])
const branch: Schema = {
  kind: 'conditional',
  when: a,
  then: object([field('x', number)]),
  otherwise: object([field('y', string), field('z', never)]),
  notes,
}
const closed = (base: Schema): Schema => ({
  kind: 'unevaluated',
  base,
  properties: never,
  notes,
})
const b = object([field('b', number)])
const textOfA = '{\n  readonly a: string\n}'
const textOfB = '{\n  readonly b: number\n}'

const kinds: { readonly [K in Kind]: readonly (readonly [Schema, string])[] } = {
  any: [[any, 'unknown']],
  never: [[never, 'never']],
  null: [[nil, 'null']],
  boolean: [[boolean, 'boolean']],
  number: [[number, 'number']],
  string: [[string, 'string']],
  binary: [[binary, 'Bytes']],
  ref: [[ref, 'types.Pet']],
  not: [[not, 'unknown']],
  conditional: [[conditional, 'unknown']],
  enum: [
    [enumeration('a', "it's", 1, -0, true, null), "'a' | \"it's\" | 1 | -0 | true | null"],
    [enumeration([1, 'x']), "[1, 'x']"],
    [enumeration({ a: 1 }), '{ a: 1 }'],
  ],
  array: [
    [array(string), 'readonly string[]'],
    [array(array(string)), 'readonly (readonly string[])[]'],
    [array(union(string, nil)), 'readonly (string | null)[]'],
    [array(oneOf(string, number)), 'readonly (string | number)[]'],
    [array(enumeration('a', 'b')), "readonly ('a' | 'b')[]"],
    [array(all(ref, b)), `readonly (types.Pet & ${textOfB})[]`],
    [array(unevaluated(union(string, nil))), 'readonly (string | null)[]'],
    [array(unevaluated(all(a, ref))), `readonly (${textOfA} & types.Pet)[]`],
    [array(unevaluated(array(string))), 'readonly (readonly string[])[]'],
    [array(a), `readonly ${textOfA}[]`],
    [array(any), 'readonly unknown[]'],
    [array(any, { prefix: [string, number] }), 'readonly [(string)?, (number)?, ...unknown[]]'],
    [
      array(never, { prefix: [string, union(number, nil)], minItems: 1 }),
      'readonly [string, (number | null)?]',
    ],
    [
      array(union(string, nil), { prefix: [boolean], minItems: 5 }),
      'readonly [boolean, ...(string | null)[]]',
    ],
  ],
  object: [
    [object([]), '{\n  readonly [key: string]: unknown\n}'],
    [object([], { additional: never }), 'Readonly<Record<string, never>>'],
    [
      object([], { additional: union(string, nil) }),
      '{\n  readonly [key: string]: string | null\n}',
    ],
    [
      object([], { additional: never, patterns: [{ pattern: '^x', schema: number }] }),
      '{\n  readonly [key: string]: number\n}',
    ],
    [
      object([field('a-b', string), field('c', number, { required: false })]),
      "{\n  readonly 'a-b': string\n  readonly c?: number\n}",
    ],
    [object([field('a', string)], { additional: never }), textOfA],
    [
      object([field('a', string)], { additional: number }),
      '{\n  readonly a: string\n  readonly [key: string]: unknown\n}',
    ],
    [
      object([field('a', string)], { alsoRequired: ['a', 'z'] }),
      '{\n  readonly a: string\n  readonly z: unknown\n}',
    ],
    [
      object([field('inner', array(a))]),
      '{\n  readonly inner: readonly {\n    readonly a: string\n  }[]\n}',
    ],
  ],
  union: [
    [union(string, nil), 'string | null'],
    [union(string, string), 'string'],
    [union(string, any), 'unknown'],
    [union(all(a, b), nil), `${textOfA} & ${textOfB} | null`],
    [union(), 'never'],
  ],
  oneOf: [[oneOf(string, array(number)), 'string | readonly number[]']],
  intersection: [
    [all(a, b), `${textOfA} & ${textOfB}`],
    [all(union(a, nil), b), `(${textOfA} | null) & ${textOfB}`],
    [all(all(union(a, nil)), b), `(${textOfA} | null) & ${textOfB}`],
    [all(unevaluated(oneOf(a, nil)), b), `(${textOfA} | null) & ${textOfB}`],
    [all(enumeration('a', 'b'), ref), "('a' | 'b') & types.Pet"],
    [all(a, conditional, not), textOfA],
    [all(conditional), 'unknown'],
    [all(a, branch), `${textOfA} & {\n  readonly x?: unknown\n  readonly y?: unknown\n}`],
    [
      all(union(a, nil), branch),
      `${textOfA} & {\n  readonly x?: unknown\n  readonly y?: unknown\n} | null`,
    ],
    [all(union(a, string, nil), branch), `${textOfA} | string | null`],
    [all(object([field('a', string)], { additional: never }), branch), textOfA],
    [all(a, demand('z')), `${textOfA} & {\n  readonly z: unknown\n}`],
    [
      all(a, oneOf(demand('y'), demand('z'))),
      `${textOfA} & ({\n  readonly y: unknown\n} | {\n  readonly z: unknown\n})`,
    ],
    [all(object([]), ref), 'object & types.Pet'],
    [
      all(object([], { additionalStated: true }), ref),
      '{\n  readonly [key: string]: unknown\n} & types.Pet',
    ],
    [all(object([]), object([])), '{\n  readonly [key: string]: unknown\n}'],
    [all(not, demand('z')), '{\n  readonly z: unknown\n  readonly [key: string]: unknown\n}'],
  ],
  unevaluated: [
    [unevaluated(a), textOfA],
    [closed(all(a, branch)), `${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n}`],
    [
      closed(all(union(a, nil), branch)),
      `${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n} | null`,
    ],
    [
      array(closed(all(union(a, nil), branch))),
      `readonly (${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n} | null)[]`,
    ],
    [
      closed(all(a, branch, branch)),
      `${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n}`,
    ],
    [
      closed(all(a, { ...branch, otherwise: all(object([field('x', string)]), branch) })),
      `${textOfA} & {\n  readonly x?: number | string\n  readonly y?: string\n}`,
    ],
    [
      closed(all(a, ref, branch)),
      `${textOfA} & types.Pet & {\n  readonly x?: unknown\n  readonly y?: unknown\n}`,
    ],
    [
      closed(all(union(a, b), branch, object([field('y', boolean)]))),
      `(${textOfA} | ${textOfB}) & {\n  readonly y: boolean\n} & {\n  readonly x?: number\n}`,
    ],
    [
      closed(object([field('a', string)], { dependentSchemas: [{ name: 'a', schema: b }] })),
      '{\n  readonly a: string\n  readonly b?: number\n}',
    ],
    [
      array(closed(object([], { dependentSchemas: [{ name: 'a', schema: b }] }))),
      'readonly {\n  readonly b?: number\n}[]',
    ],
  ],
}

const table = Object.entries(kinds).flatMap(([kind, cases]) =>
  cases.map(([schema, expected]) => [kind, expected, schema] as const),
)

describe('typeText', () => {
  it.each(table)('%s: %s', (_, expected, schema) => {
    expect(printType(schema)).toBe(expected)
  })

  it.each(table)('%s is a type by itself: %s', (_, expected) => {
    const file = ts.transpileModule(`export type T = ${expected}`, { reportDiagnostics: true })
    expect(file.diagnostics).toEqual([])
  })

  it.each([
    [object([field('a', array(string))]), '{\n  a: string[]\n}'],
    [
      object([], { additional: string, alsoRequired: ['z'] }),
      '{\n  z: unknown\n  [key: string]: unknown\n}',
    ],
    [array(never, { prefix: [array(binary)], minItems: 1 }), '[(Bytes)[]]'],
  ])('leaves properties and elements mutable on request', (schema, expected) => {
    expect(printType(schema, { mutable: true })).toBe(expected)
  })

  it('says of a field what is known of it, further in with each level', () => {
    const comment = {
      description: 'One.\nTwo.',
      default: 'x',
      examples: ['y', {}],
      deprecated: true,
    } as const
    const inner: Schema = { ...string, format: 'uuid', notes: { ...notes, ...comment } }
    expect(printType(object([field('a', object([field('b', inner, { required: false })]))]))).toBe(
      '{\n  readonly a: {\n    /**\n     * One.\n     * Two.\n     * Format: uuid.\n     * @default "x"\n     * @example "y"\n     * @deprecated\n     */\n    readonly b?: string\n  }\n}',
    )
  })
})
