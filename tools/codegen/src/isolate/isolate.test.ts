import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import { load, withFiles } from '../../test/documents.js'
import { smallDocument } from '../../test/small-api.js'
import { hasErrors } from '../diagnostics.js'
import { pointerTo } from '../document/json.js'
import { emitters } from '../emitters/index.js'
import { generate } from '../pipeline/generate.js'
import { render } from '../pipeline/render.js'
import { folder } from '../pipeline/target.js'
import { isolate } from './isolate.js'
import type { Isolated } from './isolate.js'

type Node = Record<string, unknown>
type Root = {
  readonly paths: Record<string, Node>
  readonly components: { readonly schemas: Record<string, Node> }
}

const outputs = emitters.filter(({ name }) =>
  ['types', 'zod', 'client', 'table', 'mcp'].includes(name),
)
const open = { description: 'Accepts every value, as the document has a fault here.' }
const parseRoot = (): Root => parse(smallDocument) as Root

async function isolateDocument(root: unknown): Promise<Isolated> {
  const { document } = await load({ 'openapi.json': JSON.stringify(root) }, {}, 'openapi.json')
  if (document === undefined) throw new Error('The document could not be read.')
  return isolate(document)
}

async function renderOutput(root: unknown): Promise<Readonly<Record<string, string>>> {
  const { api, document } = await isolateDocument(root)
  if (api === undefined) throw new Error('Nothing was left.')
  const { files } = await render(api, document, outputs, folder('out', 'make'))
  return Object.fromEntries(
    [...files].map(([path, pieces]) => [path, Buffer.concat(pieces).toString()]),
  )
}

/** Every schema below a component, as the object that holds it and its key. */
function listSchemas(root: Root): readonly (readonly [holder: Node, key: string])[] {
  const places: [Node, string][] = []
  const visit = (holder: Node, key: string): void => {
    places.push([holder, key])
    const schema = holder[key] as Node
    for (const name of Object.keys(schema['properties'] ?? {}))
      visit(schema['properties'] as Node, name)
    if (schema['items'] !== undefined) visit(schema, 'items')
  }
  for (const name of Object.keys(root.components.schemas)) visit(root.components.schemas, name)
  return places
}

function listOperations(root: Root): readonly (readonly [item: Node, method: string])[] {
  return Object.values(root.paths).flatMap((item) =>
    Object.keys(item).map((method): [Node, string] => [item, method]),
  )
}

const schemaFaults: readonly Node[] = [
  { type: 'file' },
  { $ref: '#/components/schemas/Nothing' },
  { $ref: 'nowhere.yaml' },
  { type: 'string', minLength: -1 },
  { properties: [] },
  { allOf: 'all' },
]
const operationFaults: readonly Node[] = [
  { responses: { OK: {} } },
  { parameters: [{ name: 'a', in: 'body' }] },
  { parameters: [{ $ref: '#/components/parameters/Nothing' }] },
  { requestBody: 7 },
  { requestBody: { content: [] } },
  { security: 'key' },
]

describe('one error anywhere', () => {
  it('in a schema leaves all other output unchanged, byte for byte', async () => {
    const count = listSchemas(parseRoot()).length
    await fc.assert(
      fc.asyncProperty(
        fc.nat(count - 1),
        fc.constantFrom(...schemaFaults),
        async (index, fault) => {
          const [faulty, without] = [parseRoot(), parseRoot()]
          for (const [root, value] of [
            [faulty, fault],
            [without, open],
          ] as const) {
            const [holder, key] = listSchemas(root)[index] ?? [{}, '']
            holder[key] = value
          }
          expect(await renderOutput(faulty)).toEqual(await renderOutput(without))
        },
      ),
      { numRuns: countRounds(40) },
    )
  })

  it('in an operation leaves all other output unchanged, byte for byte', async () => {
    const count = listOperations(parseRoot()).length
    await fc.assert(
      fc.asyncProperty(
        fc.nat(count - 1),
        fc.constantFrom(...operationFaults),
        async (index, fault) => {
          const [faulty, without] = [parseRoot(), parseRoot()]
          const [item, method] = listOperations(faulty)[index] ?? [{}, '']
          Object.assign(item[method] as Node, fault)
          const [other, same] = listOperations(without)[index] ?? [{}, '']
          delete other[same]
          expect(await renderOutput(faulty)).toEqual(await renderOutput(without))
        },
      ),
      { numRuns: countRounds(40) },
    )
  })
})

const ok = { responses: { 200: { description: 'Done' } } }
const createDocument = (rest: Node, version = '3.1.0'): Node => ({
  openapi: version,
  info: { title: 'Test', version: '1' },
  paths: {},
  ...rest,
})
const withSchemas = (schemas: Node): Node =>
  createDocument({ components: { schemas: { Fine: { type: 'string' }, ...schemas } } })
const listNames = ({ leftOut }: Isolated): readonly string[] =>
  leftOut.map(({ name }) => name).toSorted()
const createRef = (name: string): Node => ({ $ref: `#${pointerTo('/components/schemas', name)}` })

describe('omitted parts', () => {
  it('include the operations that use an invalid component, directly or indirectly', async () => {
    const response = { description: 'Done', headers: { a: { $ref: '#/components/headers/Bad' } } }
    const root = createDocument({
      paths: {
        '/a': { get: { responses: { 200: { $ref: '#/components/responses/Bad' } } }, put: ok },
        '/b': { parameters: [{ $ref: '#/components/parameters/Bad' }], get: ok, put: ok },
        '/c': { get: ok },
      },
      components: {
        responses: { Bad: response },
        headers: { Bad: 7 },
        parameters: { Bad: { name: 'x' } },
      },
    })
    const result = await isolateDocument(root)
    expect(result.api?.operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'put /a',
      'get /c',
    ])
    expect(listNames(result)).toEqual([
      '#/components/headers/Bad',
      '#/components/parameters/Bad',
      '#/components/responses/Bad',
      '#/paths/~1b',
      'GET /a',
    ])
  })

  it('include the schema in all of its variants', async () => {
    const Pet = {
      type: 'object',
      properties: { id: { type: 'string', readOnly: true }, broken: createRef('Nothing') },
    }
    const body = { content: { 'application/json': { schema: createRef('Pet') } } }
    const root = createDocument({
      paths: { '/a': { post: { ...ok, requestBody: body } } },
      components: { schemas: { Pet } },
    })
    const { api } = await isolateDocument(root)
    expect(
      api?.schemas.map(({ name, schema }) => [
        name,
        schema.kind === 'object' && schema.properties.at(-1)?.schema.kind,
      ]),
    ).toEqual([
      ['Pet', 'any'],
      ['PetRequest', 'any'],
    ])
  })

  it.each<readonly [string, Node, readonly string[], string | undefined]>([
    [
      'a discriminator alone',
      {
        A: {
          oneOf: [createRef('Fine')],
          discriminator: { propertyName: 'a', mapping: { x: '#/no' } },
        },
      },
      ['#/components/schemas/A/discriminator'],
      'ref',
    ],
    [
      'what excludes',
      { A: { not: createRef('B') }, B: { type: 'file' } },
      ['#/components/schemas/A', '#/components/schemas/B'],
      'any',
    ],
    [
      'what depends on the rest',
      {
        A: { allOf: [createRef('B')], unevaluatedProperties: false },
        B: { allOf: [{ type: 'file' }] },
      },
      ['#/components/schemas/A', '#/components/schemas/B/allOf/0'],
      'any',
    ],
    [
      'an array of names only',
      { A: { type: 'string', required: true } },
      ['#/components/schemas/A/required'],
      'string',
    ],
    [
      'what names of properties depend on',
      {
        A: {
          type: 'object',
          properties: {
            b: { patternProperties: { '(': { type: 'string' } }, additionalProperties: false },
          },
        },
      },
      ['#/components/schemas/A/properties/b'],
      'object',
    ],
    ['a circle', { A: { anyOf: [createRef('A')] } }, ['#/components/schemas/A'], 'any'],
  ])(
    'include %s, so that no schema accepts less than declared',
    async (_, schemas, expected, kind) => {
      const result = await isolateDocument(withSchemas(schemas))
      expect(listNames(result)).toEqual(expected)
      expect(result.api?.schemas.find(({ key }) => key === 'A')?.schema.kind).toBe(kind)
    },
  )

  it('do not include a union, which then allows several matches', async () => {
    const { api } = await isolateDocument(
      withSchemas({
        A: { oneOf: [createRef('Fine'), createRef('B')] },
        B: { properties: { a: { type: 'file' } } },
      }),
    )
    expect(api?.schemas.find(({ key }) => key === 'A')?.schema.kind).toBe('union')
  })

  it('are empty for an error that can be corrected', async () => {
    const paths = {
      '/a/{id}': { get: { operationId: 'one' } },
      '/b': { get: { operationId: 'one' } },
    }
    const { api, leftOut, diagnostics } = await isolateDocument(
      createDocument({ paths, components: { schemas: { A: { enum: [] } } } }, '3.0.3'),
    )
    expect(leftOut).toEqual([])
    expect(diagnostics.map(({ code }) => code).toSorted()).toEqual([
      'FB3003',
      'FB4001',
      'FB4002',
      'FB4005',
      'FB4005',
    ])
    expect(
      api?.operations.map(({ id, parameters }) => [
        id,
        ...parameters.map(({ name, required, schema }) => [name, required, schema.kind]),
      ]),
    ).toEqual([['one', ['id', true, 'string']], ['one2']])
  })
})

describe('a document', () => {
  it.each<readonly [string, Node]>([
    [
      'of which nothing is left',
      createDocument({ components: { schemas: { A: { type: 'file' } } } }),
    ],
    [
      'whose fault is in no part of it',
      createDocument({ paths: [], components: { schemas: { A: {} } } }),
    ],
    [
      'whose requirement for all operations is unclear',
      createDocument({ paths: { '/a': { get: ok } }, security: 'key' }),
    ],
  ])('%s is rejected', async (_, root) => {
    const { api, diagnostics } = await isolateDocument(root)
    expect([api, hasErrors(diagnostics)]).toEqual([undefined, true])
  })

  it('with errors in single parts has warnings, and is rejected with strict', async () => {
    await withFiles(
      { 'a.json': JSON.stringify(withSchemas({ A: { type: 'file' } })) },
      async (cwd) => {
        const options = { spec: 'a.json', cwd, target: folder('out', 'make'), emitters: outputs }
        const lenient = await generate(options)
        expect([lenient.status, hasErrors(lenient.diagnostics)]).toEqual(['written', false])
        const strict = await generate({ ...options, strict: true })
        expect([strict.status, hasErrors(strict.diagnostics)]).toEqual(['faulty', true])
      },
    )
  })
})
