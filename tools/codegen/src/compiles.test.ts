import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deepTest, isWhole } from '../../internal/testing/src/rounds.js'
import { createTangledDocument } from '../test/tangles.js'
import { formatDiagnostic } from './diagnostics.js'
import { emitters } from './emitters/index.js'
import { types } from './emitters/types.js'
import { zodFlavours, zodWith } from './emitters/zod.js'
import type { ZodFlavour } from './emitters/zod.js'
import { generate, type GenerateResult } from './pipeline/generate.js'
import { folder } from './pipeline/target.js'
import { compile } from './try-documents/compile.js'

/** Inside the package, so that the generated imports of npm's packages resolve; ignored by git. */
const work = fileURLToPath(new URL('../.tmp/compiles/', import.meta.url))

/**
 * Nothing newer than what the README asks of a runtime: a function that came with ES2023 does not
 * compile. Nothing that is not used.
 */
const options = {
  lib: ['es2022', 'dom'],
  types: [],
  noUnusedLocals: true,
  noUnusedParameters: true,
}

const ok = { 200: { description: 'Done' } }
const text = { schema: { type: 'string' } }
const createDocument = (rest: object, version = '3.1.0'): object => ({
  openapi: version,
  info: { title: 'Odd', version: '1' },
  paths: {},
  ...rest,
})
const get = (operation: object): object => ({ get: { responses: ok, ...operation } })

/**
 * Documents of which each says something that could have become two declarations of one name, or
 * one of none.
 */
const documents: Readonly<Record<string, object>> = {
  'no operation': createDocument({
    components: { schemas: { A: { type: 'string', format: 'date-time' } } },
  }),
  'a path item by reference': createDocument({
    paths: {
      '/a': { $ref: '#/components/pathItems/A' },
      '/b': { $ref: '#/components/pathItems/B', description: 'B.' },
    },
    components: {
      pathItems: {
        A: get({ operationId: 'a' }),
        B: get({ operationId: 'b' }),
        C: get({ operationId: 'c' }),
      },
    },
  }),
  'a path item of two paths': createDocument({
    paths: {
      '/a': { $ref: '#/components/pathItems/A' },
      '/b': { $ref: '#/components/pathItems/A' },
    },
    components: { pathItems: { A: get({}) } },
  }),
  'an operationId of a path and of webhooks': createDocument({
    paths: { '/a': get({ operationId: 'a' }) },
    webhooks: {
      a: get({ operationId: 'a', description: 'Another.' }),
      b: get({ operationId: 'a', parameters: [] }),
    },
    components: { pathItems: { C: get({ operationId: 'a', tags: ['a'] }) } },
  }),
  'operationIds that have one name as a type': createDocument({
    paths: { '/a': get({ operationId: 'a#b' }), '/b': get({ operationId: 'a/b' }) },
  }),
  'a header of the path in other letters': createDocument({
    paths: {
      '/a': {
        parameters: [
          { name: 'X-A', in: 'header', ...text },
          { name: 'X-A', in: 'header', ...text },
        ],
        ...get({
          operationId: 'a',
          parameters: [{ name: 'x-a', in: 'header', schema: { type: 'integer' } }],
        }),
      },
    },
  }),
  'what OpenAPI 3.2 adds': createDocument(
    {
      paths: {
        '/a': {
          query: {
            operationId: 'a',
            responses: {
              200: { content: { 'application/json-seq': { itemSchema: { type: 'integer' } } } },
            },
          },
          additionalOperations: {
            COPY: { operationId: 'b', responses: ok },
            link: { responses: ok },
          },
        },
        '/b': {
          get: {
            parameters: [
              {
                name: 'q',
                in: 'querystring',
                content: { 'application/json': { schema: { type: 'object' } } },
              },
              { name: 'c', in: 'cookie', style: 'cookie', ...text },
            ],
            responses: {
              200: { content: { 'application/json': { $ref: '#/components/mediaTypes/A' } } },
            },
          },
        },
      },
      components: { mediaTypes: { A: text } },
    },
    '3.2.0',
  ),
  'names that every object has': createDocument({
    paths: {
      '/{toString}': {
        post: {
          operationId: 'toString',
          parameters: [
            { name: 'toString', in: 'path', required: true, ...text },
            {
              name: 'constructor',
              in: 'query',
              style: 'deepObject',
              schema: { type: 'object', properties: { valueOf: { type: 'integer' } } },
            },
          ],
          requestBody: {
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: {
                    toString: { type: 'string', contentMediaType: 'image/png' },
                    valueOf: { type: 'array' },
                  },
                },
              },
            },
          },
          responses: {
            200: {
              description: 'Done',
              headers: { valueOf: text },
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/toString' } },
              },
            },
          },
          security: [{ toString: [] }],
        },
      },
    },
    components: {
      securitySchemes: { toString: { type: 'http', scheme: 'bearer' } },
      schemas: {
        toString: {
          type: 'object',
          properties: {
            constructor: { $ref: '#/components/schemas/constructor' },
            hasOwnProperty: { const: 'a' },
          },
        },
        constructor: { const: { toString: { a: ['b'] }, valueOf: 'c', constructor: null } },
        valueOf: { type: 'string', enum: ['toString', 'valueOf'] },
      },
    },
  }),
  'names of generated modules': createDocument({
    paths: { '/': get({ operationId: 'stated', responses: ok }) },
    components: {
      schemas: Object.fromEntries(
        ['stated', 'Arbitraries', 'deferred', 'rules', 'absent'].map((name) => [
          name,
          {
            type: 'object',
            properties: { [name]: { $ref: `#/components/schemas/${name}` } },
          },
        ]),
      ),
    },
  }),
  'names without letters': createDocument({
    paths: {
      '/': get({ operationId: '/', responses: { 200: { $ref: '#/components/responses/' } } }),
    },
    components: {
      responses: {
        '': {
          description: '',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/' } } },
        },
      },
      schemas: {
        '': { $ref: '#/components/schemas/~1' },
        '/': { type: 'object', properties: { '': { type: 'string' } } },
      },
    },
  }),
  ...Object.fromEntries(
    ['objects with a file', 'objects with a mark', 'choices', 'all of the next and no more'].map(
      (knot) => [knot, createTangledDocument(knot, 12)],
    ),
  ),
}

/** The same for documents of which a part is left out, or mended. */
const faulty: Readonly<Record<string, object>> = {
  'faults of each kind': createDocument({
    paths: {
      '/a/{id}': {
        ...get({ operationId: 'a' }),
        put: { operationId: 'a', responses: ok },
        post: { responses: { no: {} } },
      },
      '/b/{id}/{b}': get({
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'strong' } },
          { name: 'q', in: 'query', schema: { $ref: '#/no' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: true, properties: { a: { enum: [] } } },
            },
          },
        },
      }),
      '/c': get({
        requestBody: {
          content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Broken' } } },
        },
      }),
      '/d': get({
        responses: {
          200: {
            description: 'Done',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Choice' } } },
          },
        },
      }),
    },
    components: {
      schemas: {
        Broken: { type: ['file'] },
        Choice: {
          oneOf: [{ $ref: '#/components/schemas/Broken' }, { type: ['string', null] }],
          discriminator: { propertyName: 'a', mapping: { b: '#/no' } },
        },
        Closed: { allOf: [{ $ref: '#/components/schemas/Broken' }], unevaluatedProperties: false },
      },
    },
  }),
}

/** Choices of each kind by their tags, objects that contain themselves, and a program with both. */
const createRef = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const tagged = createDocument(
  {
    components: {
      schemas: {
        A: {
          type: 'object',
          required: ['petType'],
          properties: { petType: { type: 'string' }, x: { type: 'string' } },
        },
        B: {
          type: 'object',
          required: ['petType'],
          properties: { petType: { type: 'string' }, y: { type: 'string' } },
        },
        Mapped: {
          oneOf: [createRef('A'), createRef('B')],
          discriminator: {
            propertyName: 'petType',
            mapping: { a: '#/components/schemas/A', b: 'B' },
          },
        },
        Named: {
          anyOf: [createRef('A'), createRef('B'), { type: 'null' }],
          discriminator: { propertyName: 'petType' },
        },
        Defaulted: {
          oneOf: [createRef('Cat'), createRef('B')],
          discriminator: { propertyName: 'petType', defaultMapping: 'B' },
        },
        Base: {
          type: 'object',
          required: ['petType'],
          properties: { petType: { type: 'string', enum: ['cat', 'dog'] } },
          discriminator: { propertyName: 'petType', mapping: { cat: 'Cat', dog: 'Dog' } },
        },
        Cat: {
          allOf: [
            createRef('Base'),
            { type: 'object', properties: { lives: { type: 'integer' } } },
          ],
        },
        Dog: {
          allOf: [createRef('Base'), { type: 'object', properties: { good: { type: 'boolean' } } }],
        },
        Extended: { oneOf: [createRef('Cat'), createRef('Dog')] },
        Node: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: createRef('Node') },
            owner: createRef('Owner'),
          },
        },
        Owner: {
          type: 'object',
          required: ['node'],
          additionalProperties: false,
          properties: { node: createRef('Node'), data: {} },
        },
      },
    },
  },
  '3.2.0',
)
const taggedProgram = `import type * as t from './tagged/types/index.js'
import type { z as zod } from 'zod'
import * as z from './tagged/zod/index.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export const tags: [Same<t.Mapped['petType'], 'a' | 'b'>, Same<t.Extended['petType'], 'cat' | 'dog'>] = [true, true]
export const mapped = (v: t.Mapped): string | undefined => (v.petType === 'a' ? v.x : v.y)
export const named = (v: t.Named): string | undefined => (v === null ? undefined : v.petType === 'A' ? v.x : v.y)
export const extended = (v: t.Extended): number | boolean | undefined => (v.petType === 'cat' ? v.lives : v.good)
export const defaulted = (v: t.Defaulted): number | undefined => (v.petType === 'cat' && 'lives' in v ? v.lives : undefined)
export const validated = (v: unknown): [t.Mapped, t.Named, t.Defaulted, t.Extended] => [
  z.Mapped.parse(v),
  z.Named.parse(v),
  z.Defaulted.parse(v),
  z.Extended.parse(v),
]
export const narrowed = (v: unknown): string | undefined => {
  const pet = z.Mapped.parse(v)
  return pet.petType === 'a' ? pet.x : pet.y
}

export const larger = z.Node.extend({ size: z.Cat })
export const larger1: zod.infer<typeof larger> = { name: 'a', size: { petType: 'cat' }, children: [{ name: 'b' }] }
export const partial: zod.infer<ReturnType<typeof z.Node.partial>> = {}
export const picked: Same<ReturnType<typeof pick.parse>['name'], string> = true
export const pick = z.Node.pick({ name: true })
export const owner: Same<zod.infer<typeof z.Node>['owner'], t.Owner | undefined> = true
export const node: t.Node = z.Owner.omit({ data: true }).parse({}).node
export const inferred: zod.infer<typeof z.Owner> = { node } satisfies t.Owner
// @ts-expect-error a size is a cat
export const larger2: zod.infer<typeof larger> = { name: 'a', size: 1 }
// @ts-expect-error there is no such field
z.Node.pick({ nothing: true })
`

const listEmitters = (flavour: ZodFlavour) => [types, zodWith({ flavour })]
const entries = Object.entries({ ...documents, ...faulty })
const toOutputFolder = (name: string, flavour: ZodFlavour): string =>
  `out${entries.findIndex(([one]) => one === name)}-${flavour}`

const results: (readonly [name: string, GenerateResult])[] = []

beforeAll(async () => {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  for (const [index, [name, content]] of entries.entries()) {
    const spec = `${index}.json`
    await writeFile(join(work, spec), JSON.stringify(content))
    for (const flavour of zodFlavours) {
      const outputs = flavour === 'full' ? emitters : listEmitters(flavour)
      const target = folder(toOutputFolder(name, flavour), name)
      results.push([
        name,
        await generate({ spec, cwd: work, emitters: outputs, target, strict: !(name in faulty) }),
      ])
    }
  }
  await writeFile(join(work, 'tagged.json'), JSON.stringify(tagged))
  await writeFile(join(work, 'tagged.ts'), taggedProgram)
  const input = { semantics: 'openapi' } as const
  const target = folder('tagged', 'tagged')
  results.push([
    'tagged',
    await generate({ spec: 'tagged.json', cwd: work, emitters, target, strict: true, input }),
  ])
})

afterAll(async () => rm(work, { recursive: true, force: true }))

it('each document is written without an error', () => {
  for (const [name, { status, diagnostics }] of results) {
    const faults = diagnostics.filter(({ severity }) => name === 'tagged' || severity === 'error')
    expect([name, status, faults.map(formatDiagnostic)]).toEqual([name, 'written', []])
  }
})

deepTest('the output compiles, with only the libraries of ES2022 and of a browser', async () => {
  const folders = entries.flatMap(([name]) =>
    zodFlavours.map((flavour) => toOutputFolder(name, flavour)),
  )
  expect([...(await compile(work, [...folders, 'tagged', 'tagged.ts'], options))]).toEqual([])
})

/** TypeScript 5.9 takes three times as long, and the deep suite has that time. */
if (isWhole)
  it('every output compiles with TypeScript 5.9 as well, in every flavour', async () => {
    const folders = entries.flatMap(([name]) =>
      zodFlavours.map((flavour) => toOutputFolder(name, flavour)),
    )
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
    expect([...(await compile(work, [...folders, 'tagged', 'tagged.ts'], options, tsc))]).toEqual(
      [],
    )
  })
