import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDiagnostic } from '../../diagnostics.js'
import type { Api } from '../../ir/api.js'
import { buildApi } from '../../ir/build.js'
import type { Json, Schema } from '../../ir/schema.js'
import { accepts } from '../../validate/accepts.js'
import { load, omitNotes, withSchemas } from '../../../test/documents.js'
import { runZod } from '../../../test/run-zod.js'
import type { Semantics } from '../semantics.js'
import { countRounds } from '../../../../internal/testing/src/rounds.js'

type Schemas = Readonly<Record<string, Json>>

const createRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const text: Json = { type: 'string' }
const open = (field: string, type: Json = text): Json => ({
  type: 'object',
  properties: { kind: type, [field]: text },
})

async function read(schemas: Schemas, semantics: Semantics, version = '3.1.0'): Promise<Api> {
  const files = { 'openapi.json': JSON.stringify(withSchemas(schemas, version)) }
  const { document, diagnostics } = await load(files, { semantics }, 'openapi.json')
  const { api } = document === undefined ? {} : buildApi(document)
  if (api === undefined || diagnostics.length > 0)
    throw new Error(diagnostics.map(formatDiagnostic).join('\n'))
  return api
}

/** Whether the validator of `Pet` takes each value, as the reference implementation does. */
async function computeVerdicts(
  schemas: Schemas,
  values: readonly Json[],
  semantics: Semantics = 'openapi',
  version = '3.1.0',
) {
  const api = await read(schemas, semantics, version)
  const pet = runZod(api).schemas['Pet']
  const named = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
  const lookup = (name: string): Schema => named.get(name) as Schema
  const input = values.map((value) => pet?.safeParse(value).success)
  expect(input).toEqual(values.map((value) => accepts(lookup('Pet'), value, { lookup })))
  return input
}

const A = { ...(open('x') as object), required: ['kind'] } as Json
const B = { ...(open('y') as object), required: ['kind'] } as Json
const createChoice = (discriminator: object, ...names: readonly string[]): Json => ({
  oneOf: names.map(createRef),
  discriminator: { propertyName: 'kind', ...discriminator } as Json,
})

describe('a discriminator with OpenAPI semantics', () => {
  it.each(['oneOf', 'anyOf'])(
    'distinguishes a parent from a child that is %s of the same',
    async (any) => {
      const Parent = {
        ...(A as object),
        discriminator: { propertyName: 'kind', mapping: { p: 'Parent', c: 'Child', o: 'Other' } },
      } as Json
      const child = (field: string, parent = 'Parent'): Json => ({
        allOf: [createRef(parent), { properties: { [field]: text }, required: [field] }],
      })
      const schemas = {
        Parent,
        Child: child('y'),
        GrandChild: child('z', 'Child'),
        Other: child('o'),
        Pet: { [any]: [createRef('Parent'), createRef('Child')] },
      }
      const values = [
        { kind: 'p' },
        { kind: 'c', y: 'y' },
        { kind: 'GrandChild', y: 'y', z: 'z' },
        { kind: 'o', o: 'o' },
        { kind: 'c' },
        { kind: 'GrandChild' },
        { kind: 'x' },
      ]
      const expected = [true, true, true, true, false, false, false]
      expect(await computeVerdicts(schemas, values)).toEqual(expected)
      // without a discriminator nothing tells them apart
      const bare = await computeVerdicts({ ...schemas, Parent: A }, values)
      expect(bare[1]).toBe(any === 'anyOf')
    },
  )

  it.each<readonly [Json, readonly string[], readonly Json[], readonly boolean[]]>([
    [{ type: 'boolean' }, ['true', 'False'], [true, false, 'true'], [true, true, false]],
    [createRef('Flag'), ['true', 'false'], [true, false, 1], [true, true, false]],
    [{ type: 'integer' }, ['1', '2'], [1, 2, 3, '1'], [true, true, false, false]],
    [{ type: 'number' }, ['1.0', '2.5'], [1, 2.5, 2], [true, true, false]],
    // a hint: both options take all of these, so neither is the one
    [{ type: 'integer' }, ['1', 'two'], [1, 2], [false, false]],
    [{ type: 'boolean' }, ['1', '0'], [true, false], [false, false]],
    [{ type: 'boolean', enum: [true] }, ['true', 'false'], [true, false], [false, false]],
  ])('selects by %j, mapped as %j', async (type, [a = '', b = ''], kinds, expected) => {
    const schemas = {
      Flag: { type: 'boolean' },
      A: open('x', type),
      B: { allOf: [open('y', type)] },
      Pet: createChoice({ mapping: { [a]: 'A', [b]: 'B' } }, 'A', 'B'),
    }
    const values = kinds.map((kind) => ({ kind, x: 'x', y: 'y' }))
    expect(await computeVerdicts(schemas, values)).toEqual(expected)
  })

  it.each(['x-ms-discriminator-value', 'x-discriminator-value'])(
    'selects an option or a child by its %s, unless the mapping names it',
    async (extension) => {
      const stating = (tag: string, schema: Json): Json => ({
        ...(schema as object),
        [extension]: tag,
      })
      const values = ['#a', 'A', 'b', '#b', 'B'].map((kind) => ({ kind }))
      const options = { A: stating('#a', A), B: stating('#b', B) }
      const Pet = createChoice({ mapping: { b: 'B' } }, 'A', 'B')
      expect(await computeVerdicts({ ...options, Pet }, values)).toEqual([
        true,
        false,
        true,
        false,
        false,
      ])

      const Parent = { ...(open('x') as object), discriminator: { propertyName: 'kind' } } as Json
      const child = { Parent, Pet: stating('#b', { allOf: [createRef('Parent')] }) }
      expect(await computeVerdicts(child, values)).toEqual([false, false, false, true, false])
    },
  )

  it('selects the option by the mapping, which is only a hint without OpenAPI semantics', async () => {
    const schemas = {
      A,
      B,
      Pet: createChoice({ mapping: { a: '#/components/schemas/A', aa: 'A', b: 'B' } }, 'A', 'B'),
    }
    const values = [
      { kind: 'a', x: '1' },
      { kind: 'aa' },
      { kind: 'b', y: '1' },
      { kind: 'a', x: 1 },
      { kind: 'A' },
      { x: '1' },
    ]
    expect(await computeVerdicts(schemas, values)).toEqual([true, true, true, false, false, false])
    expect(await computeVerdicts(schemas, values, 'json-schema')).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
    ])
  })

  it.each(['oneOf', 'anyOf'])(
    'selects the option of %s by its name, next to null',
    async (keyword) => {
      const Pet = {
        [keyword]: [createRef('A'), { allOf: [createRef('B')] }, { type: 'null' }],
        discriminator: { propertyName: 'kind' },
      }
      const values = [
        { kind: 'A', y: 1 },
        { kind: 'B', y: 1 },
        { kind: 'B', y: '1' },
        null,
        { kind: 'a' },
      ]
      expect(await computeVerdicts({ A, B, Pet }, values)).toEqual([true, false, true, true, false])
    },
  )

  it('uses the strings that an option lists as its tags, and requires one', async () => {
    const C = open('x', { enum: ['c', 'cc'] })
    const Pet = {
      oneOf: [createRef('C'), open('y', { const: 'd' })],
      discriminator: { propertyName: 'kind' },
    }
    expect(
      await computeVerdicts({ C, Pet }, [
        { kind: 'cc' },
        { kind: 'd', y: '' },
        { kind: 'd', y: 1 },
        {},
      ]),
    ).toEqual([true, true, false, false])
  })

  it('uses the tags of its own mapping, not those of another union', async () => {
    const Other = createChoice({ mapping: { a: 'A', b: 'B' } }, 'A', 'B')
    expect(
      await computeVerdicts({ A, B, Other, Pet: createChoice({}, 'A', 'B') }, [
        { kind: 'a' },
        { kind: 'A' },
      ]),
    ).toEqual([false, true])
  })

  it('lets a child have the tags of a union if its parent maps none', async () => {
    const schemas = {
      Base: { ...(open('name') as object), discriminator: { propertyName: 'kind' } },
      Cat: { allOf: [createRef('Base')] },
      Dog: { allOf: [createRef('Base')] },
      Pet: createChoice({ mapping: { c: 'Cat' } }, 'Cat', 'Dog'),
    }
    expect(
      await computeVerdicts(schemas, [{ kind: 'c' }, { kind: 'Cat' }, { kind: 'Dog' }]),
    ).toEqual([true, false, true])
  })

  it('sends unmatched values to the default option', async () => {
    const schemas = {
      A,
      B,
      Other: open('z'),
      Pet: createChoice({ defaultMapping: 'Other' }, 'A', 'B', 'Other'),
    }
    const values = [{ kind: 'A', z: 1 }, { kind: 'A', x: 1 }, { kind: 'b' }, {}, { z: 1 }]
    expect(await computeVerdicts(schemas, values, 'openapi', '3.2.0')).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
  })

  it('makes a child require its tag, without changing the parent', async () => {
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    const Base = {
      ...(open('name', { enum: ['cat', 'dog'] }) as object),
      discriminator: { propertyName: 'kind', mapping },
    }
    const schemas = {
      Base,
      Between: { allOf: [createRef('Base')] },
      Cat: {
        allOf: [createRef('Base'), { type: 'object', properties: { lives: { type: 'integer' } } }],
      },
      Dog: {
        allOf: [
          createRef('Between'),
          { type: 'object', properties: { good: { type: 'boolean' } } },
        ],
      },
    }
    const values = [
      { kind: 'dog', good: true },
      { kind: 'cat', lives: 9 },
      { kind: 'dog', good: 1 },
      { kind: 'cat', good: 1 },
    ]
    for (const discriminator of [{}, { discriminator: { propertyName: 'kind' } }]) {
      const Pet = { oneOf: [createRef('Cat'), createRef('Dog')], ...discriminator }
      expect(await computeVerdicts({ ...schemas, Pet }, values, 'openapi', '3.0.3')).toEqual([
        true,
        true,
        false,
        true,
      ])
      expect(await computeVerdicts({ ...schemas, Pet }, values, 'json-schema', '3.0.3')).toEqual([
        false,
        false,
        true,
        true,
      ])
    }
    expect(
      await computeVerdicts({ ...schemas, Pet: createRef('Base') }, [{ kind: 'cat' }, {}]),
    ).toEqual([true, true])
    const { schemas: built } = await read(
      { ...schemas, Pet: createChoice({}, 'Cat', 'Dog') },
      'openapi',
    )
    expect(omitNotes(built.find(({ name }) => name === 'Pet')?.schema)).toMatchObject({
      kind: 'oneOf',
      discriminator: { property: 'kind', tags: [['cat'], ['dog']] },
    })
  })

  it('includes the tags of a nested union, by option names or as listed', async () => {
    const C = open('z', { const: 'c' })
    const D = open('z', { enum: ['d', 'dd'] })
    const inner = {
      Named: createChoice({ mapping: { a: 'A' } }, 'A', 'B'),
      Listed: { anyOf: [createRef('C'), createRef('D')] },
    }
    const schemas = { A, B, C, D, ...inner, Pet: createChoice({}, 'Named', 'Listed') }
    const values = [
      { kind: 'a', x: '1' },
      { kind: 'B', y: '1' },
      { kind: 'B', y: 1 },
      { kind: 'dd' },
      { kind: 'Named' },
    ]
    expect(await computeVerdicts(schemas, values)).toEqual([true, true, false, true, false])
    const { schemas: built } = await read(schemas, 'openapi')
    expect(omitNotes(built.find(({ name }) => name === 'Pet')?.schema)).toMatchObject({
      kind: 'oneOf',
    })
  })

  it('uses the same tags for requests and responses', async () => {
    const id = { type: 'string', readOnly: true }
    const C = { type: 'object', required: ['kind'], properties: { kind: text, id } }
    const api = await read({ B, C, Pet: createChoice({}, 'B', 'C') }, 'openapi')
    const { PetRequest } = runZod(api).schemas
    expect(
      [{ kind: 'C' }, { kind: 'C', id: '1' }, { kind: 'B' }].map(
        (value) => PetRequest?.safeParse(value).success,
      ),
    ).toEqual([true, false, true])
  })
})

describe('a discriminator that does not distinguish the options', () => {
  const closed = { type: 'object', properties: { x: text }, additionalProperties: false }
  const base = { type: 'object', properties: { kind: { type: 'integer' } } }
  const cases: Readonly<Record<string, Schemas>> = {
    'has an option without a name': {
      A,
      Pet: { oneOf: [createRef('A'), open('y')], discriminator: { propertyName: 'kind' } },
    },
    'has one option twice': { A, Pet: createChoice({}, 'A', 'A') },
    'has tags that an option does not list': {
      A,
      B: open('y', { const: 'b' }),
      Pet: createChoice({ mapping: { c: 'B' } }, 'A', 'B'),
    },
    'is about a property that may not be there': { A, B: closed, Pet: createChoice({}, 'A', 'B') },
    'is about a number': {
      A: base,
      B: { allOf: [createRef('A')] },
      Pet: createChoice({}, 'A', 'B'),
    },
    'has a default that is no option': {
      A,
      B,
      Other: open('z'),
      Pet: createChoice({ defaultMapping: 'Other' }, 'A', 'B'),
    },
    'has no property': {
      A,
      B,
      Pet: { oneOf: [createRef('A'), createRef('B')], discriminator: {} },
    },
  }
  it.each(Object.entries(cases))('remains a hint if it %s', async (_, schemas) => {
    const [intended, strict] = [await read(schemas, 'openapi'), await read(schemas, 'json-schema')]
    const trees = ({ schemas: all }: Api) =>
      all.map(({ name, schema }) => [name, omitNotes(schema)])
    expect(trees(intended)).toEqual(trees(strict))
  })

  it('remains a hint if its mapping has no target, so that it rejects no value', async () => {
    const schemas = {
      A,
      B,
      Pet: createChoice({ mapping: { b: '#/components/schemas/Gone' } }, 'A', 'B'),
    }
    const files = { 'openapi.json': JSON.stringify(withSchemas(schemas)) }
    const { document } = await load(files, {}, 'openapi.json')
    expect(document?.root['components']).toMatchObject({
      schemas: { Pet: { oneOf: [createRef('A'), createRef('B')] } },
    })
  })
})

describe('for all unions', () => {
  const names = ['A', 'B', 'C']
  const tag = fc.constantFrom('A', 'B', 'C', 'a', 'b', 'c')
  const kind = fc.oneof(
    fc.constant<Json>(text),
    fc.array(tag, { minLength: 1, maxLength: 2 }).map((values): Json => ({ enum: values })),
  )
  const option = fc
    .record({ kind, field: fc.constantFrom('x', 'y'), required: fc.subarray(['kind', 'x']) })
    .map(({ kind: of, field, required }): Json => ({
      ...(open(field, of) as object),
      ...(required.length > 0 && { required }),
    }))
  const options = fc
    .tuple(option, option, option)
    .map((all): Schemas => Object.fromEntries(all.map((one, index) => [names[index], one])))
  const mapping = fc.option(
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(...names)),
    { nil: undefined },
  )
  const values = fc.array(
    fc.record(
      {
        kind: fc.oneof(tag, fc.constant(1)),
        x: fc.constantFrom<Json>('1', 1),
        y: fc.constantFrom<Json>('1', 1),
      },
      { requiredKeys: [] },
    ),
    { minLength: 8, maxLength: 8 },
  )
  const keyword = fc.constantFrom('oneOf', 'anyOf')

  it('without OpenAPI semantics the keyword changes no verdict', async () => {
    await fc.assert(
      fc.asyncProperty(options, mapping, keyword, values, async (schemas, tags, word, all) => {
        const bare = { [word]: names.map(createRef) }
        const discriminator = { propertyName: 'kind', ...(tags !== undefined && { mapping: tags }) }
        expect(
          await computeVerdicts(
            { ...schemas, Pet: { ...bare, discriminator } },
            all as Json[],
            'json-schema',
          ),
        ).toEqual(await computeVerdicts({ ...schemas, Pet: bare }, all as Json[], 'json-schema'))
      }),
      { numRuns: countRounds(60) },
    )
  })

  it('with it the verdict is that of the option that the tag names', async () => {
    const field = fc.constantFrom('x', 'y')
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(field, field, field),
        keyword,
        values,
        async (fields, word, all) => {
          const schemas = Object.fromEntries(
            fields.map((one, index): [string, Json] => [names[index] ?? '', open(one)]),
          )
          const mapped = { a: 'A', b: 'B' }
          const Pet = {
            [word]: names.map(createRef),
            discriminator: { propertyName: 'kind', mapping: mapped },
          }
          const targets: Readonly<Record<string, string>> = { ...mapped, C: 'C' }
          const expected = await Promise.all(
            all.map(async (value) => {
              const target = targets[String(value.kind)]
              return target === undefined
                ? false
                : (
                    await computeVerdicts(
                      { ...schemas, Pet: createRef(target) },
                      [value],
                      'json-schema',
                    )
                  )[0]
            }),
          )
          expect(await computeVerdicts({ ...schemas, Pet }, all as Json[])).toEqual(expected)
        },
      ),
      { numRuns: countRounds(30) },
    )
  })
})
