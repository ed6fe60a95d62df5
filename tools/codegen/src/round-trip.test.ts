import { rm } from 'node:fs/promises'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  generateBothSides,
  findWorkFolder,
  type BothSides,
  type Parts,
  type Result,
} from '../test/both-sides.js'
import type { AnyResponse } from '../runtime/server/write-response.js'

// Kinds of real documents in which the generated client and server must agree.

const work = findWorkFolder('round-trip')
const text = { type: 'string' }
const done = { responses: { 204: { description: 'Done' } } }
const createRequestBody = (mediaType: string, schema: object, more: object = {}) => ({
  required: true,
  content: { [mediaType]: { schema, ...more } },
})
const createParameter = (name: string, place: string, schema: object = text) => ({
  name,
  in: place,
  required: true,
  schema,
})
const note = { type: 'object', required: ['text'], properties: { text } }
const avatar = { $ref: '#/components/schemas/Avatar' }
const json = { 'application/json': { schema: {} } }

const document = {
  openapi: '3.0.3',
  info: { title: 'Kinds', version: '1' },
  paths: {
    '/plans': { get: { operationId: 'plans', ...done } },
    '/plans#arn': {
      get: { operationId: 'planByArn', parameters: [createParameter('arn', 'query')], ...done },
    },
    '/plans#name': {
      get: { operationId: 'planByName', parameters: [createParameter('name', 'query')], ...done },
    },
    '/plans?list': { get: { operationId: 'listPlans', ...done } },
    '/acts?action=start': {
      post: { operationId: 'start', parameters: [createParameter('id', 'query')], ...done },
    },
    '/acts?action={action}': {
      post: { operationId: 'act', parameters: [createParameter('action', 'path')], ...done },
    },
    '/status/{provider}/{owner}/{name}': {
      get: {
        operationId: 'byOwner',
        parameters: ['provider', 'owner', 'name'].map((name) => createParameter(name, 'path')),
        ...done,
      },
    },
    '/status/{badge}/branch/{branch}': {
      get: {
        operationId: 'byBranch',
        parameters: ['badge', 'branch'].map((name) => createParameter(name, 'path')),
        ...done,
      },
    },
    '/search': {
      get: {
        operationId: 'search',
        requestBody: createRequestBody('application/json', note),
        ...done,
      },
    },
    '/any': {
      post: { operationId: 'sendAny', requestBody: createRequestBody('*/*', note), ...done },
    },
    '/texts': {
      post: { operationId: 'texts', requestBody: createRequestBody('text/*', note), ...done },
    },
    '/images': {
      post: {
        operationId: 'image',
        requestBody: createRequestBody('image/*', { type: 'string', format: 'binary' }),
        ...done,
      },
    },
    '/notes': {
      put: {
        operationId: 'putNote',
        requestBody: {
          content: {
            'application/*+json': { schema: note },
            'text/json': { schema: note },
            'application/json': { schema: note },
          },
        },
        ...done,
      },
      post: {
        operationId: 'respondAny',
        responses: { 200: { description: 'Any', content: { '*/*': { schema: note } } } },
      },
    },
    '/avatars': {
      post: {
        operationId: 'addAvatar',
        requestBody: createRequestBody('application/json', avatar),
        responses: {
          200: { description: 'Added', content: { 'application/json': { schema: avatar } } },
        },
      },
      put: {
        operationId: 'uploadAvatar',
        requestBody: createRequestBody('multipart/form-data', avatar),
        ...done,
      },
    },
    '/parts': {
      post: {
        operationId: 'parts',
        requestBody: createRequestBody(
          'multipart/form-data',
          {
            type: 'object',
            properties: { text, any: {}, list: { type: 'array', items: text }, plain: text },
          },
          {
            encoding: Object.fromEntries(
              ['text', 'any', 'list'].map((name) => [name, { contentType: 'application/json' }]),
            ),
          },
        ),
        ...done,
      },
    },
    '/threads': {
      patch: {
        operationId: 'thread',
        responses: {
          205: { description: 'Read', content: json },
          304: { description: 'Same', content: json },
          '2XX': { description: 'Others', content: json },
        },
      },
      head: { operationId: 'hasThread', responses: { 200: { description: '', content: json } } },
    },
    '/shops/{id}': {
      post: {
        operationId: 'addShop',
        parameters: [createParameter('id', 'path')],
        requestBody: createRequestBody('application/json', {
          type: 'object',
          required: ['id'],
          properties: { name: text },
        }),
        ...done,
      },
    },
  },
  components: {
    schemas: {
      Avatar: {
        type: 'object',
        required: ['image'],
        properties: {
          image: { type: 'string', format: 'binary' },
          frame: { type: 'object', properties: { image: { type: 'string', format: 'binary' } } },
        },
      },
      Action: {
        type: 'object',
        properties: { type: { enum: ['assign', 'unassign'] }, drop: { type: 'integer' } },
      },
      Unassign: {
        allOf: [{ $ref: '#/components/schemas/Action' }, { type: 'object', required: ['type'] }],
      },
      Tagged: {
        type: 'object',
        properties: {
          impossible: { type: 'string', pattern: '^(?!a)a$' },
          key: { type: 'string', pattern: '^(?!aws:)[a-z]+$', minLength: 20 },
        },
      },
      Infos: { description: 'Anything.' },
      Both: {
        allOf: [
          { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
          {
            properties: { a: { type: 'integer' }, b: { type: 'string' } },
            additionalProperties: false,
          },
        ],
      },
    },
  },
}

let sides: BothSides
let arbitraries: Readonly<Record<string, BothSides['arbitraries'][string]['path']>>

beforeAll(async () => {
  sides = await generateBothSides(work, document)
  arbitraries = (await import(`${sides.folder}/arbitraries/index.ts`)) as typeof arbitraries
})
afterAll(async () => rm(work, { recursive: true, force: true }))

type Trip = {
  readonly id: string
  readonly got: Parts
  readonly result: Result
  readonly url: URL
  readonly type: string | null
}

/** Calls an operation through client and server. */
async function callOperation(
  id: string,
  input: object,
  response: AnyResponse = { status: 204 },
): Promise<Trip> {
  let seen: Pick<Trip, 'id' | 'got'> | undefined
  let request: Request | undefined
  const handlers = Object.fromEntries(
    sides.serverFacts.map((facts) => [
      facts.id,
      (got: Parts) => {
        seen = { id: facts.id, got }
        return response
      },
    ]),
  )
  const app = sides.createServer(handlers)
  const client = sides.createClient({
    baseUrl: 'http://h.example',
    fetch: (url, init) => {
      request = new Request(url, init)
      return app.fetch(request.clone())
    },
  })
  const result = await client[id]?.(input)
  if (result === undefined || seen === undefined || request === undefined)
    throw new Error(`No handler was called: ${JSON.stringify(result)}`)
  return {
    ...seen,
    result,
    url: new URL(request.url),
    type: request.headers.get('content-type'),
  }
}

describe('a path', () => {
  it.each([
    ['planByArn', { arn: 'a' }, '/plans?arn=a'],
    ['planByName', { name: 'a' }, '/plans?name=a'],
    ['plans', {}, '/plans'],
    ['listPlans', {}, '/plans?list'],
    ['start', { id: 'a' }, '/acts?action=start&id=a'],
    ['act', { action: 'a b' }, '/acts?action=a%20b'],
    ['byBranch', { badge: 'b7', branch: 'main' }, '/status/b7/branch/main'],
    ['byOwner', { provider: 'git', owner: 'x', name: 'main' }, '/status/git/x/main'],
  ])('of %s leads to its operation', async (id, input, sent) => {
    const { id: called, url, got } = await callOperation(id, input)
    expect([called, url.pathname + url.search]).toEqual([id, sent])
    expect({ ...got.path, ...got.query }).toMatchObject(input)
  })
})

describe('a body', () => {
  it.each([
    ['sendAny', { text: 'a' }, 'application/json'],
    ['texts', { text: 'a' }, 'text/json'],
    ['image', { body: new Blob(['a'], { type: 'image/gif' }) }, 'image/gif'],
    ['image', { body: new Uint8Array([1]) }, 'application/octet-stream'],
    ['putNote', { text: 'a' }, 'text/json'],
  ])('of %s is sent with a media type, not a range', async (id, input, type) => {
    const sent = callOperation(id, input)
    // a server that declares image/* takes nothing else
    if (type === 'application/octet-stream')
      await expect(sent).rejects.toThrow(/415.*undeclared_status|is not declared/s)
    else expect((await sent).type).toBe(type)
  })

  it('is returned with a media type, not a range', async () => {
    const response = { status: 200, contentType: '*/*', body: { text: 'a' } }
    const { result } = await callOperation('respondAny', {}, response)
    expect(result.response.headers.get('content-type')).toBe('application/json')
    expect(result.data).toEqual({ text: 'a' })
  })

  it('of a GET is omitted', async () => {
    expect((await callOperation('search', { text: 'a' })).got).toEqual({})
  })

  it('has strings for bytes in JSON, and files in a form', async () => {
    const value = { image: 'YWJj', frame: { image: 'YQ==' } }
    const { got, result } = await callOperation('addAvatar', value, { status: 200, body: value })
    expect([got.body, result.data]).toEqual([value, value])
    const form = { image: new Blob(['abc']), frame: { image: 'YQ==' } }
    const { got: uploaded } = await callOperation('uploadAvatar', form)
    expect(uploaded.body).toMatchObject({ image: expect.any(File) as File, frame: form.frame })
  })

  it.each([
    { text: 'a' },
    { any: 'a' },
    { any: 5 },
    { any: { a: 1 } },
    { list: ['a', 'b'] },
    { list: [] },
    { plain: '"a"' },
  ])('with parts of JSON arrives: %j', async (value) => {
    expect((await callOperation('parts', value)).got.body).toEqual(value)
  })

  it('with a part declared as JSON is parsed, and rejected if invalid', async () => {
    let got: unknown
    const app = sides.createServer({
      parts: (parts: Parts) => {
        got = parts.body
        return { status: 204 }
      },
    })
    const send = async (value: string): Promise<Response> => {
      const form = new FormData()
      form.append('list', new Blob([value], { type: 'application/json' }))
      return app.request('/parts', { method: 'POST', body: form })
    }
    expect([(await send('["a"]')).status, got]).toEqual([204, { list: ['a'] }])
    const broken = await send('["a"')
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { problems: [{ where: 'body.list', found: 'broken JSON', expected: 'JSON' }] },
    ])
  })

  it('has fields that only `required` names, even if a parameter has the same name', async () => {
    const { got } = await callOperation('addShop', { id: 'a', name: 'x', requestBody: { id: 'b' } })
    expect(got).toMatchObject({ path: { id: 'a' }, body: { id: 'b', name: 'x' } })
  })
})

it.each([
  ['thread', 205],
  ['thread', 304],
  ['thread', 204],
  ['hasThread', 200],
])('a response of %s with status %i has no content', async (id, status) => {
  const { result } = await callOperation(id, {}, { status })
  expect([result.status, result.data ?? result.error]).toEqual([status, undefined])
})

describe('arbitraries', () => {
  it.each(['Unassign', 'Tagged', 'Both', 'Avatar'])('generate values of %s', (name) => {
    const found = arbitraries[name]
    if (found === undefined) throw new Error(`There are no arbitraries of ${name}.`)
    const values = fc.sample(found.valid, { numRuns: 50, seed: 1 })
    expect(values.every((value) => typeof value === 'object')).toBe(true)
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBeGreaterThan(1)
  })

  it('have no near miss of a schema that accepts everything', () => {
    expect(arbitraries['Infos']?.nearMiss).toBeUndefined()
  })
})
