import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tangle } from '../test/tangles.js'
import { formatDiagnostic } from './diagnostics.js'
import { emitters } from './emitters/index.js'
import { types } from './emitters/types.js'
import { zodFlavours, zodWith } from './emitters/zod.js'
import type { ZodFlavour } from './emitters/zod.js'
import { generate } from './generate.js'
import { folder } from './target.js'

/** Inside the package, so that the generated imports of npm's packages resolve; ignored by git. */
const work = fileURLToPath(new URL('../.tmp/compiles/', import.meta.url))

/**
 * Nothing newer than what the README asks of a runtime: a function that came with ES2023 does not
 * compile.
 */
const compiler = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
}

const ok = { 200: { description: 'Done' } }
const text = { schema: { type: 'string' } }
const document = (rest: object, version = '3.1.0'): object => ({
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
  'no operation': document({ components: { schemas: { A: { type: 'string', format: 'date-time' } } } }),
  'a path item by reference': document({
    paths: { '/a': { $ref: '#/components/pathItems/A' }, '/b': { $ref: '#/components/pathItems/B', description: 'B.' } },
    components: { pathItems: { A: get({ operationId: 'a' }), B: get({ operationId: 'b' }), C: get({ operationId: 'c' }) } },
  }),
  'a path item of two paths': document({
    paths: { '/a': { $ref: '#/components/pathItems/A' }, '/b': { $ref: '#/components/pathItems/A' } },
    components: { pathItems: { A: get({}) } },
  }),
  'an operationId of a path and of webhooks': document({
    paths: { '/a': get({ operationId: 'a' }) },
    webhooks: { a: get({ operationId: 'a', description: 'Another.' }), b: get({ operationId: 'a', parameters: [] }) },
    components: { pathItems: { C: get({ operationId: 'a', tags: ['a'] }) } },
  }),
  'operationIds that have one name as a type': document({
    paths: { '/a': get({ operationId: 'a#b' }), '/b': get({ operationId: 'a/b' }) },
  }),
  'a header of the path in other letters': document({
    paths: {
      '/a': {
        parameters: [
          { name: 'X-A', in: 'header', ...text },
          { name: 'X-A', in: 'header', ...text },
        ],
        ...get({ operationId: 'a', parameters: [{ name: 'x-a', in: 'header', schema: { type: 'integer' } }] }),
      },
    },
  }),
  'what OpenAPI 3.2 adds': document(
    {
      paths: {
        '/a': {
          query: { operationId: 'a', responses: { 200: { content: { 'application/json-seq': { itemSchema: { type: 'integer' } } } } } },
          additionalOperations: { COPY: { operationId: 'b', responses: ok }, link: { responses: ok } },
        },
        '/b': {
          get: {
            parameters: [
              { name: 'q', in: 'querystring', content: { 'application/json': { schema: { type: 'object' } } } },
              { name: 'c', in: 'cookie', style: 'cookie', ...text },
            ],
            responses: { 200: { content: { 'application/json': { $ref: '#/components/mediaTypes/A' } } } },
          },
        },
      },
      components: { mediaTypes: { A: text } },
    },
    '3.2.0',
  ),
  'names without letters': document({
    paths: { '/': get({ operationId: '/', responses: { 200: { $ref: '#/components/responses/' } } }) },
    components: {
      responses: { '': { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/' } } } } },
      schemas: { '': { $ref: '#/components/schemas/~1' }, '/': { type: 'object', properties: { '': { type: 'string' } } } },
    },
  }),
  ...Object.fromEntries(
    ['objects with a file', 'objects with a mark', 'choices', 'all of the next and no more'].map((knot) => [knot, tangle(knot, 12)]),
  ),
}

/** The same for documents of which a part is left out, or mended. */
const faulty: Readonly<Record<string, object>> = {
  'faults of each kind': document({
    paths: {
      '/a/{id}': { ...get({ operationId: 'a' }), put: { operationId: 'a', responses: ok }, post: { responses: { no: {} } } },
      '/b/{id}/{b}': get({
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'strong' } },
          { name: 'q', in: 'query', schema: { $ref: '#/no' } },
        ],
        requestBody: { content: { 'application/json': { schema: { type: 'object', required: true, properties: { a: { enum: [] } } } } } },
      }),
      '/c': get({ requestBody: { content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/Broken' } } } } }),
      '/d': get({
        responses: { 200: { description: 'Done', content: { 'application/json': { schema: { $ref: '#/components/schemas/Choice' } } } } },
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

/** Choices of each kind by their tags, and a program that relies on them. */
const component = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const tagged = document(
  {
    components: {
      schemas: {
        A: { type: 'object', required: ['petType'], properties: { petType: { type: 'string' }, x: { type: 'string' } } },
        B: { type: 'object', required: ['petType'], properties: { petType: { type: 'string' }, y: { type: 'string' } } },
        Mapped: {
          oneOf: [component('A'), component('B')],
          discriminator: { propertyName: 'petType', mapping: { a: '#/components/schemas/A', b: 'B' } },
        },
        Named: { anyOf: [component('A'), component('B'), { type: 'null' }], discriminator: { propertyName: 'petType' } },
        Defaulted: { oneOf: [component('Cat'), component('B')], discriminator: { propertyName: 'petType', defaultMapping: 'B' } },
        Base: {
          type: 'object',
          required: ['petType'],
          properties: { petType: { type: 'string', enum: ['cat', 'dog'] } },
          discriminator: { propertyName: 'petType', mapping: { cat: 'Cat', dog: 'Dog' } },
        },
        Cat: { allOf: [component('Base'), { type: 'object', properties: { lives: { type: 'integer' } } }] },
        Dog: { allOf: [component('Base'), { type: 'object', properties: { good: { type: 'boolean' } } }] },
        Extended: { oneOf: [component('Cat'), component('Dog')] },
      },
    },
  },
  '3.2.0',
)
const taggedProgram = `import type * as t from './tagged/types/index.js'
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
`

beforeAll(async () => {
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
})
afterAll(async () => rm(work, { recursive: true, force: true }))

const typesAnd = (flavour: ZodFlavour) => [types, zodWith({ flavour })]

it('what is written without a fault compiles, with the libraries of ES2022 and of a browser alone', async () => {
  for (const [index, [name, content]] of Object.entries({ ...documents, ...faulty }).entries()) {
    const spec = `${index}.json`
    await writeFile(join(work, spec), JSON.stringify(content))
    for (const flavour of zodFlavours) {
      const outputs = flavour === 'full' ? emitters : typesAnd(flavour)
      const result = await generate({
        spec,
        cwd: work,
        emitters: outputs,
        target: folder(`out${index}-${flavour}`, name),
        strict: !(name in faulty),
      })
      const faults = result.diagnostics.filter(({ severity }) => severity === 'error')
      expect([name, result.status, faults.map(formatDiagnostic)]).toEqual([name, 'written', []])
    }
  }
  await writeFile(join(work, 'tagged.json'), JSON.stringify(tagged))
  const input = { discriminator: 'openapi' } as const
  const result = await generate({ spec: 'tagged.json', cwd: work, emitters, target: folder('tagged', 'tagged'), strict: true, input })
  expect(result).toMatchObject({ status: 'written', diagnostics: [] })
  await writeFile(join(work, 'tagged.ts'), taggedProgram)
  await writeFile(join(work, 'package.json'), '{ "type": "module" }')
  await writeFile(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions: compiler, include: ['**/*.ts'] }))
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', work], { maxBuffer: 1e8 }).catch(
    (error: { readonly stdout: string }) => error,
  )
  expect(stdout.split('\n').slice(0, 20).join('\n')).toBe('')
})
