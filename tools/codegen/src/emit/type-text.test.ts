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
const createEnum = (...values: Of<'enum'>['values']): Schema => ({ kind: 'enum', values, notes })
const createArray = (items: Schema, more: Partial<Of<'array'>> = {}): Schema => ({
  kind: 'array',
  prefix: [],
  items,
  unique: false,
  notes,
  ...more,
})
const createUnion = (...options: Schema[]): Schema => ({ kind: 'union', options, notes })
const createOneOf = (...options: Schema[]): Schema => ({ kind: 'oneOf', options, notes })
const createIntersection = (...parts: Schema[]): Schema => ({ kind: 'intersection', parts, notes })
const conditional: Schema = { kind: 'conditional', when: any, then: any, otherwise: any, notes }
const not: Schema = { kind: 'not', schema: string, notes }
const createUnevaluated = (base: Schema): Schema => ({
  kind: 'unevaluated',
  base,
  properties: never,
  notes,
})
const createProperty = (name: string, schema: Schema, more: Partial<Property> = {}): Property => ({
  name,
  schema,
  required: true,
  ...more,
})
const createRequirement = (name: string): Schema => createObject([], { alsoRequired: [name] })
const createObject = (
  properties: readonly Property[],
  more: Partial<Of<'object'>> = {},
): Schema => ({
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

const a = createObject([createProperty('a', string)])
const branch: Schema = {
  kind: 'conditional',
  when: a,
  then: createObject([createProperty('x', number)]),
  otherwise: createObject([createProperty('y', string), createProperty('z', never)]),
  notes,
}
const createClosed = (base: Schema): Schema => ({
  kind: 'unevaluated',
  base,
  properties: never,
  notes,
})
const b = createObject([createProperty('b', number)])
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
    [createEnum('a', "it's", 1, -0, true, null), "'a' | \"it's\" | 1 | -0 | true | null"],
    [createEnum([1, 'x']), "[1, 'x']"],
    [createEnum({ a: 1 }), '{ a: 1 }'],
  ],
  array: [
    [createArray(string), 'readonly string[]'],
    [createArray(createArray(string)), 'readonly (readonly string[])[]'],
    [createArray(createUnion(string, nil)), 'readonly (string | null)[]'],
    [createArray(createOneOf(string, number)), 'readonly (string | number)[]'],
    [createArray(createEnum('a', 'b')), "readonly ('a' | 'b')[]"],
    [createArray(createIntersection(ref, b)), `readonly (types.Pet & ${textOfB})[]`],
    [createArray(createUnevaluated(createUnion(string, nil))), 'readonly (string | null)[]'],
    [
      createArray(createUnevaluated(createIntersection(a, ref))),
      `readonly (${textOfA} & types.Pet)[]`,
    ],
    [createArray(createUnevaluated(createArray(string))), 'readonly (readonly string[])[]'],
    [createArray(a), `readonly ${textOfA}[]`],
    [createArray(any), 'readonly unknown[]'],
    [
      createArray(any, { prefix: [string, number] }),
      'readonly [(string)?, (number)?, ...unknown[]]',
    ],
    [
      createArray(never, { prefix: [string, createUnion(number, nil)], minItems: 1 }),
      'readonly [string, (number | null)?]',
    ],
    [
      createArray(createUnion(string, nil), { prefix: [boolean], minItems: 5 }),
      'readonly [boolean, ...(string | null)[]]',
    ],
  ],
  object: [
    [createObject([]), '{\n  readonly [key: string]: unknown\n}'],
    [createObject([], { additional: never }), 'Readonly<Record<string, never>>'],
    [
      createObject([], { additional: createUnion(string, nil) }),
      '{\n  readonly [key: string]: string | null\n}',
    ],
    [
      createObject([], { additional: never, patterns: [{ pattern: '^x', schema: number }] }),
      '{\n  readonly [key: string]: number\n}',
    ],
    [
      createObject([
        createProperty('a-b', string),
        createProperty('c', number, { required: false }),
      ]),
      "{\n  readonly 'a-b': string\n  readonly c?: number\n}",
    ],
    [createObject([createProperty('a', string)], { additional: never }), textOfA],
    [
      createObject([createProperty('a', string)], { additional: number }),
      '{\n  readonly a: string\n  readonly [key: string]: unknown\n}',
    ],
    [
      createObject([createProperty('a', string)], { alsoRequired: ['a', 'z'] }),
      '{\n  readonly a: string\n  readonly z: unknown\n}',
    ],
    [
      createObject([createProperty('inner', createArray(a))]),
      '{\n  readonly inner: readonly {\n    readonly a: string\n  }[]\n}',
    ],
  ],
  union: [
    [createUnion(string, nil), 'string | null'],
    [createUnion(string, string), 'string'],
    [createUnion(string, any), 'unknown'],
    [createUnion(createIntersection(a, b), nil), `${textOfA} & ${textOfB} | null`],
    [createUnion(), 'never'],
  ],
  oneOf: [[createOneOf(string, createArray(number)), 'string | readonly number[]']],
  intersection: [
    [createIntersection(a, b), `${textOfA} & ${textOfB}`],
    [createIntersection(createUnion(a, nil), b), `(${textOfA} | null) & ${textOfB}`],
    [
      createIntersection(createIntersection(createUnion(a, nil)), b),
      `(${textOfA} | null) & ${textOfB}`,
    ],
    [
      createIntersection(createUnevaluated(createOneOf(a, nil)), b),
      `(${textOfA} | null) & ${textOfB}`,
    ],
    [createIntersection(createEnum('a', 'b'), ref), "('a' | 'b') & types.Pet"],
    [createIntersection(a, conditional, not), textOfA],
    [createIntersection(conditional), 'unknown'],
    [
      createIntersection(a, branch),
      `${textOfA} & {\n  readonly x?: unknown\n  readonly y?: unknown\n}`,
    ],
    [
      createIntersection(createUnion(a, nil), branch),
      `${textOfA} & {\n  readonly x?: unknown\n  readonly y?: unknown\n} | null`,
    ],
    [createIntersection(createUnion(a, string, nil), branch), `${textOfA} | string | null`],
    [
      createIntersection(
        createObject([createProperty('a', string)], { additional: never }),
        branch,
      ),
      textOfA,
    ],
    [createIntersection(a, createRequirement('z')), `${textOfA} & {\n  readonly z: unknown\n}`],
    [
      createIntersection(a, createOneOf(createRequirement('y'), createRequirement('z'))),
      `${textOfA} & ({\n  readonly y: unknown\n} | {\n  readonly z: unknown\n})`,
    ],
    [createIntersection(createObject([]), ref), 'object & types.Pet'],
    [
      createIntersection(createObject([], { additionalStated: true }), ref),
      '{\n  readonly [key: string]: unknown\n} & types.Pet',
    ],
    [
      createIntersection(createObject([]), createObject([])),
      '{\n  readonly [key: string]: unknown\n}',
    ],
    [
      createIntersection(not, createRequirement('z')),
      '{\n  readonly z: unknown\n  readonly [key: string]: unknown\n}',
    ],
  ],
  unevaluated: [
    [createUnevaluated(a), textOfA],
    [
      createClosed(createIntersection(a, branch)),
      `${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n}`,
    ],
    [
      createClosed(createIntersection(createUnion(a, nil), branch)),
      `${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n} | null`,
    ],
    [
      createArray(createClosed(createIntersection(createUnion(a, nil), branch))),
      `readonly (${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n} | null)[]`,
    ],
    [
      createClosed(createIntersection(a, branch, branch)),
      `${textOfA} & {\n  readonly x?: number\n  readonly y?: string\n}`,
    ],
    [
      createClosed(
        createIntersection(a, {
          ...branch,
          otherwise: createIntersection(createObject([createProperty('x', string)]), branch),
        }),
      ),
      `${textOfA} & {\n  readonly x?: number | string\n  readonly y?: string\n}`,
    ],
    [
      createClosed(createIntersection(a, ref, branch)),
      `${textOfA} & types.Pet & {\n  readonly x?: unknown\n  readonly y?: unknown\n}`,
    ],
    [
      createClosed(
        createIntersection(createUnion(a, b), branch, createObject([createProperty('y', boolean)])),
      ),
      `(${textOfA} | ${textOfB}) & {\n  readonly y: boolean\n} & {\n  readonly x?: number\n}`,
    ],
    [
      createClosed(
        createObject([createProperty('a', string)], {
          dependentSchemas: [{ name: 'a', schema: b }],
        }),
      ),
      '{\n  readonly a: string\n  readonly b?: number\n}',
    ],
    [
      createArray(createClosed(createObject([], { dependentSchemas: [{ name: 'a', schema: b }] }))),
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

  it.each(table)('%s is an inline type: %s', (_, expected) => {
    const file = ts.transpileModule(`export type T = ${expected}`, { reportDiagnostics: true })
    expect(file.diagnostics).toEqual([])
  })

  it.each([
    [createObject([createProperty('a', createArray(string))]), '{\n  a: string[]\n}'],
    [
      createObject([], { additional: string, alsoRequired: ['z'] }),
      '{\n  z: unknown\n  [key: string]: unknown\n}',
    ],
    [createArray(never, { prefix: [createArray(binary)], minItems: 1 }), '[(Bytes)[]]'],
  ])('leaves properties and elements mutable on request', (schema, expected) => {
    expect(printType(schema, { mutable: true })).toBe(expected)
  })

  it('documents each field, indented by level', () => {
    const comment = {
      description: 'One.\nTwo.',
      default: 'x',
      examples: ['y', {}],
      deprecated: true,
    } as const
    const inner: Schema = { ...string, format: 'uuid', notes: { ...notes, ...comment } }
    expect(
      printType(
        createObject([
          createProperty('a', createObject([createProperty('b', inner, { required: false })])),
        ]),
      ),
    ).toBe(
      '{\n  readonly a: {\n    /**\n     * One.\n     * Two.\n     * Format: uuid.\n     * @default "x"\n     * @example "y"\n     * @deprecated\n     */\n    readonly b?: string\n  }\n}',
    )
  })
})
