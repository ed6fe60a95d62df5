import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compareContracts } from './contracts.js'
import { readVersion } from '../versions/read-version.js'

const folder = mkdtempSync(join(tmpdir(), 'spec-diff-calls-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Content = { readonly schema: object }
type Call = {
  readonly body: object
  readonly parameters?: readonly object[]
  readonly statuses?: readonly string[]
  readonly answer?: object
  readonly isOptional?: boolean
}
const createJsonMedia = (schema: object): Readonly<Record<string, Content>> => ({
  'application/json': { schema },
})
const text = { type: 'string' }
const createTramSchema = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})

function createPathItem({
  body,
  parameters = [],
  statuses = ['200'],
  answer: response,
  isOptional,
}: Call) {
  const responses = Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: 'Done', ...(response && { content: createJsonMedia(response) }) },
    ]),
  )
  return {
    post: {
      parameters,
      requestBody: { required: isOptional !== true, content: createJsonMedia(body) },
      responses,
    },
  }
}

const places = {
  webhook: (call: Call | undefined) => ({
    paths: {},
    webhooks: call ? { newTram: createPathItem(call) } : {},
  }),
  callback: (call: Call | undefined) => ({
    paths: {
      '/trams/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        post: {
          operationId: 'makeTram',
          responses: { 204: { description: 'Made' } },
          ...(call && { callbacks: { made: { '{$request.body#/url}': createPathItem(call) } } }),
        },
      },
    },
  }),
}

let serial = 0
async function read(parts: object) {
  const name = join(folder, `openapi-${++serial}.json`)
  const document = {
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    components: {},
    ...parts,
  }
  writeFileSync(name, JSON.stringify(document))
  const contract = await readVersion(name, { spec: '', cwd: folder })
  if (contract === undefined) throw new Error('The document was not read')
  return contract
}

async function listChanges(
  place: keyof typeof places,
  before: Call | undefined,
  after: Call | undefined,
) {
  const [base, head] = await Promise.all([read(places[place](before)), read(places[place](after))])
  return compareContracts(base, head).map(({ code, verdicts, place: { line }, witness }) => {
    expect(line).toBeGreaterThan(0)
    return [code, verdicts.zod, ...(witness ? [witness.value] : [])]
  })
}

const createHeader = (required: boolean) => ({
  name: 'X-Signature',
  in: 'header',
  required,
  schema: text,
})
const call: Call = {
  body: createTramSchema({ id: text }, ['id']),
  parameters: [createHeader(true)],
  statuses: ['200'],
  answer: createTramSchema({ seen: text }),
}

describe.each(['webhook', 'callback'] as const)('a %s', (place) => {
  const rows: readonly (readonly [string, Call | undefined, readonly unknown[]])[] = [
    ['is the same', call, []],
    ['is gone', undefined, [['webhook-removed', 'major']]],
    [
      'may lack a field',
      { ...call, body: createTramSchema({ id: text }) },
      [['response-property-optional', 'major', {}]],
    ],
    [
      'has one more field',
      { ...call, body: createTramSchema({ id: text, line: text }, ['id']) },
      [['response-property-added', 'minor']],
    ],
    [
      'has another type',
      { ...call, body: createTramSchema({ id: { type: 'integer' } }, ['id']) },
      [['response-type-changed', 'major', 1]],
    ],
    [
      'may lack a header',
      { ...call, parameters: [createHeader(false)] },
      [['webhook-parameter-optional', 'none']],
    ],
    ['lacks a header', { ...call, parameters: [] }, [['webhook-parameter-removed', 'none']]],
    [
      'accepts one more response',
      { ...call, statuses: ['200', '202'] },
      [['webhook-status-added', 'minor']],
    ],
    [
      'accepts all responses of success',
      { ...call, statuses: ['2XX'] },
      [['webhook-status-added', 'minor']],
    ],
    [
      'accepts any response',
      { ...call, statuses: ['default'] },
      [['webhook-status-added', 'minor']],
    ],
    [
      'accepts another response',
      { ...call, statuses: ['4XX'] },
      [
        ['webhook-status-added', 'minor'],
        ['webhook-status-removed', 'major'],
      ],
    ],
    [
      'wants more in any response of success',
      { ...call, statuses: ['2XX'], answer: createTramSchema({ seen: text }, ['seen']) },
      [
        ['webhook-status-added', 'minor'],
        ['request-property-required', 'major', {}],
      ],
    ],
    ['may have no body', { ...call, isOptional: true }, [['webhook-body-optional', 'major']]],
    [
      'wants more in the response',
      { ...call, answer: createTramSchema({ seen: text }, ['seen']) },
      [['request-property-required', 'major', {}]],
    ],
  ]
  it.each(rows)('%s', async (_, after, expected) => {
    expect(await listChanges(place, call, after)).toEqual(expected)
  })

  it('is new', async () => {
    expect(await listChanges(place, undefined, call)).toEqual([['webhook-added', 'minor']])
  })
})

it('a callback stays the same if a path variable is renamed', async () => {
  const before = await read(places.callback(call))
  const renamed = JSON.stringify(places.callback(call))
    .replace('/trams/{id}', '/trams/{tram}')
    .replace('"name":"id","in":"path"', '"name":"tram","in":"path"')
  const found = compareContracts(before, await read(JSON.parse(renamed) as object))
  expect(found.map(({ code }) => code)).toEqual([
    'operation-template-renamed',
    'request-field-renamed',
  ])
})

describe('a callback of an operation that moves', () => {
  const operation = (operationId: string, callbacks?: object) => ({
    post: {
      operationId,
      responses: { 204: { description: 'Made' } },
      ...(callbacks && { callbacks }),
    },
  })
  const callbacks = (body: object) => ({
    made: { '{$request.body#/url}': createPathItem({ body }) },
  })
  const move = async (before: object, after: object) => {
    const [base, head] = await Promise.all([before, after].map((paths) => read({ paths })))
    if (!base || !head) return []
    return compareContracts(base, head).map(({ code }) => code)
  }

  it('is compared with itself', async () => {
    expect(
      await move(
        { '/trams': operation('makeTram', callbacks(createTramSchema({ id: text }, ['id']))) },
        { '/v2/trams': operation('makeTram', callbacks(createTramSchema({ id: text }))) },
      ),
    ).toEqual(['operation-path-changed', 'response-property-optional'])
  })

  it("is not matched with an existing operation's", async () => {
    expect(
      await move(
        {
          '/trams': operation('makeTram', callbacks(createTramSchema({ id: text }))),
          '/buses': operation('makeBus', callbacks(createTramSchema({ bus: text }))),
        },
        { '/buses': operation('makeTram', callbacks(createTramSchema({ id: text }))) },
      ),
    ).toEqual(['operation-path-changed', 'operation-removed', 'webhook-removed'])
  })
})
