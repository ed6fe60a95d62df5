import { beforeAll, describe, expect, it } from 'vitest'
import { build, withOperation } from '../../test/documents.js'
import { runModule } from '../../test/run-module.js'
import { buildSmallApi } from '../../test/small-api.js'
import { join, renderFile } from '../emit/code.js'
import { printOperationTable, table } from './table.js'

let text = ''

/** The declaration that begins with a string, up to the next empty line. */
function block(start: string): readonly string[] {
  const found = text.split('\n\n').find((part) => part.includes(start))
  return found?.split('\n') ?? []
}

beforeAll(async () => {
  const files = table.emit(await buildSmallApi())
  expect(files.map(({ path }) => path)).toEqual(['index.ts'])
  for (const file of files)
    text = renderFile(file, { banner: '// banner', resolve: (module) => module })
})

describe('the operation table', () => {
  it('has an extension that is null, which no const assertion can follow', async () => {
    const operation = { operationId: 'make', 'x-note': null, responses: {} }
    const api = await build(withOperation(operation, '/things', { 'x-errors': null }))
    const { text } = join(printOperationTable(api), '\n')
    expect(text).toContain('export const errors = null\n')
    expect(text).toContain('  note: null,\n')
  })

  it('contains what a program may decide by, without samples', () => {
    expect(block('export const getPet =')).toEqual([
      '/** One pet */',
      'export const getPet = {',
      "  id: 'getPet',",
      "  method: 'GET',",
      "  path: '/pets/{id}',",
      "  tags: ['Pets'],",
      "  security: [['key']],",
      '  idempotent: true,',
      "  rateLimit: 'slow',",
      "  defaults: { fields: ['a'] },",
      '  parameters: [',
      "    { name: 'id', field: 'id', in: 'path', required: true, style: 'simple', explode: false, type: 'string' },",
      '    {',
      "      name: 'X-Key',",
      "      field: 'xKey',",
      "      in: 'header',",
      '      required: true,',
      "      style: 'simple',",
      '      explode: false,',
      "      type: 'string',",
      '      credential: true,',
      '    },',
      '    {',
      "      name: 'fields',",
      "      field: 'fields',",
      "      in: 'query',",
      '      required: false,',
      "      style: 'pipeDelimited',",
      '      explode: false,',
      "      type: 'array',",
      '    },',
      '  ],',
      '  responses: {',
      "    '200': { contentTypes: ['application/json'], kind: 'json' },",
      "    '404': { contentTypes: ['application/json'], kind: 'json' },",
      '  },',
      '} as const',
    ])
  })

  it('renames an extension that clashes with a fact', () => {
    expect(block('export const addPet =')).toContain("  id2: 'shadow',")
  })

  it('omits read-only fields from the body, and states how a response with several types is decoded', () => {
    expect(block('export const addPet =').slice(-16)).toEqual([
      "  defaults: { name: 'Rex' },",
      '  parameters: [],',
      '  body: {',
      '    required: true,',
      "    contentType: 'application/json',",
      "    contentTypes: ['application/json'],",
      "    flatten: 'fields',",
      "    fields: ['name'],",
      '  },',
      '  responses: {',
      "    '201': { contentTypes: ['application/json', 'text/csv'], kind: 'mixed', kinds: ['json', 'text'] },",
      "    '204': { contentTypes: [], kind: 'empty' },",
      "    '4XX': { contentTypes: ['application/json'], kind: 'json' },",
      "    default: { contentTypes: ['text/plain'], kind: 'text' },",
      '  },',
      '} as const',
    ])
  })

  it('lists the file fields of a form', () => {
    expect(block('export const upload =')).toContain("    files: ['photo', 'more'],")
  })

  it('has a single body if the client cannot encode its fields', () => {
    expect(block('export const sendXml =')).toContain(
      "  body: { required: true, contentType: 'application/xml', contentTypes: ['application/xml'], flatten: 'body' },",
    )
  })

  it('lists the operations and the tables of the document', () => {
    expect(block('export const operations =')).toEqual([
      '/** Every operation by its id. */',
      'export const operations = {',
      '  getPet,',
      '  addPet,',
      '  upload,',
      '  sendXml,',
      '} as const',
    ])
    expect(block('export const limits')).toEqual([
      '/** `x-limits` of the document. */',
      'export const limits = { free: 10, paid: 100 } as const',
    ])
  })
})

type Table = {
  readonly operations: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [name: string]: unknown
}

/** The emitted table, run. */
async function emitTable(
  operation: Readonly<Record<string, unknown>>,
  rest: Readonly<Record<string, unknown>> = {},
): Promise<Table> {
  const api = await build(withOperation({ operationId: 'make', ...operation }, '/things', rest))
  return runModule(join(printOperationTable(api), '\n').text) as Table
}

describe('the operation table', () => {
  it('has a row per operation with its inputs and responses', async () => {
    const { operations } = await emitTable({
      tags: ['Things'],
      security: [{ key: [] }, {}],
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }],
      requestBody: {
        content: {
          'application/json': {
            schema: { type: 'object', properties: { name: { type: 'string', default: 'new' } } },
          },
        },
      },
      responses: {
        200: { description: 'Made', content: { 'audio/mpeg': {} } },
        '4XX': { description: 'Not made' },
      },
    })
    expect(operations['make']).toMatchObject({
      id: 'make',
      method: 'POST',
      path: '/things',
      tags: ['Things'],
      security: [['key'], []],
      idempotent: false,
      defaults: { limit: 20, name: 'new' },
      parameters: [
        {
          name: 'limit',
          field: 'limit',
          in: 'query',
          required: false,
          style: 'form',
          explode: true,
          type: 'integer',
        },
      ],
      body: {
        required: false,
        contentType: 'application/json',
        contentTypes: ['application/json'],
        flatten: 'fields',
        fields: ['name'],
      },
      responses: {
        200: { contentTypes: ['audio/mpeg'], kind: 'binary' },
        '4XX': { contentTypes: [], kind: 'empty' },
      },
    })
  })

  it.each([
    [{ amount: '10000', currency: 'USDC' }, { maxUsd: 0.01 }],
    [
      {
        offers: [
          { amount: '20000', currency: 'USDC' },
          { amount: '10000', currency: 'USDC' },
        ],
      },
      { minUsd: 0.01, maxUsd: 0.02 },
    ],
    [{ offers: [{ amount: '20000', currency: 'USDC' }, { amount: null }] }, {}],
    [{ amount: '10000', currency: '0x20c0' }, {}],
    [
      { price: { mode: 'fixed', amount: '0.5', currency: 'USD' }, protocols: ['x402', 'mpp'] },
      { maxUsd: 0.5, protocols: 'x402 mpp' },
    ],
    [{ price: { mode: 'dynamic', min: 0.001, max: 2 } }, { minUsd: 0.001, maxUsd: 2 }],
    [
      { amount: null, currency: 'USDC', price: { mode: 'dynamic' }, protocols: ['x402'] },
      { protocols: 'x402' },
    ],
  ])('has the price of the payment %j in USD, if known', async (info, payment) => {
    const { operations } = await emitTable({ 'x-payment-info': info })
    expect(operations['make']?.['paymentInfo']).toEqual(payment)
  })

  it('contains flags, numbers and names of x- fields, but only the presence of prose', async () => {
    const { operations } = await emitTable({
      'x-price-usd': 0.01,
      'x-rate-limit': 'audio',
      'x-max-file-bytes': { file: 10 },
      'x-provisional': 'The shape is from public material.',
      'x-samples': [{ lang: 'sh' }],
    })
    expect(operations['make']).toMatchObject({
      priceUsd: 0.01,
      rateLimit: 'audio',
      maxFileBytes: { file: 10 },
      provisional: true,
    })
    expect(operations['make']).not.toHaveProperty('samples')
  })

  it('an x- field never replaces a fact or another x- field', async () => {
    const { operations } = await emitTable({ 'x-id': 'other', 'x-a-b': 1, 'x-aB': 2 })
    expect(operations['make']).toMatchObject({ id: 'make', id2: 'other', aB: 1, aB2: 2 })
  })

  it('a table of the document has a name that is free and not reserved', async () => {
    const table = await emitTable(
      {},
      {
        'x-make': { a: 1 },
        'x-default': { b: 2 },
        'x-rate-limits': { c: 3 },
        'x-rateLimits': { d: 4 },
      },
    )
    expect(table).toMatchObject({
      makeTable: { a: 1 },
      defaultTable: { b: 2 },
      rateLimits: { c: 3 },
      rateLimits2: { d: 4 },
    })
    expect(Object.keys(table['operations'])).toEqual(['make'])
  })

  it('a table that refers to other places stays in the document', async () => {
    const webhooks = {
      ping: { post: { requestBody: { $ref: '#/components/requestBodies/Ping' } } },
    }
    expect(await emitTable({}, { 'x-webhooks': webhooks, 'x-plans': { free: 1 } })).toEqual({
      operations: expect.anything(),
      make: expect.anything(),
      plans: { free: 1 },
    })
  })

  it('of many operations, repeated parts are declared once and stay equal', async () => {
    const parameter = { name: 'limit', in: 'query', schema: { type: 'integer' } }
    const paths = Object.fromEntries(
      Array.from({ length: 220 }, (_, index) => [
        `/many/${index}`,
        {
          get: {
            operationId: `many${index}`,
            parameters: [parameter],
            responses: { 200: { description: 'Done' } },
          },
        },
      ]),
    )
    const { text } = join(
      printOperationTable(await build(withOperation({}, '/things', { paths }))),
      '\n',
    )
    expect(text.match(/name: 'limit'/g)).toHaveLength(1)
    const { operations } = runModule(text) as Table
    expect(operations['many219']).toMatchObject({
      id: 'many219',
      parameters: [{ name: 'limit', in: 'query', type: 'integer' }],
    })
    expect(operations['many219']?.['parameters']).toBe(operations['many0']?.['parameters'])
  })
})
