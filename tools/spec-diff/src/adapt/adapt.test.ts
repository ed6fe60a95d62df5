import { describe, expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { createRandomPairs } from '../../test/random-pairs.js'
import { adaptValues } from '../../test/witnesses.js'
import { compareApi } from '../compare/contracts.js'
import { AdaptError } from './adapt-value.js'
import { serveOlder, serveVersions } from './serve-older.js'

describe('values of random schemas', () => {
  it('become values that an independent validator accepts, or an error; those that both versions accept are unchanged', async () => {
    const { pairs, shared } = createRandomPairs(11, 150)
    const results = await adaptValues(pairs, shared)
    expect(results.filter(({ value, accepted }) => value !== undefined && !accepted)).toEqual([])
    expect(
      results.filter(
        ({ given, value, acceptedBefore }) =>
          acceptedBefore && JSON.stringify(given) !== JSON.stringify(value),
      ),
    ).toEqual([])
    expect(
      results.filter(({ value, acceptedBefore }) => value !== undefined && !acceptedBefore).length,
    ).toBeGreaterThan(0)
  })
})

const createJsonContent = (schema: object) => ({ content: { 'application/json': { schema } } })
const buildContract = (request: object, response: object) =>
  build({
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: {
      '/trams/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        put: {
          operationId: 'putTram',
          requestBody: { required: true, ...createJsonContent(request) },
          responses: { 200: { description: 'Put', ...createJsonContent(response) } },
        },
      },
    },
  })
const createClosed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
})
const text = { type: 'string' }

describe('an older caller of a newer service', () => {
  const older = () =>
    buildContract(
      createClosed({ line: { type: 'integer' }, note: text }, ['line']),
      createClosed({ line: { type: 'integer' } }, ['line']),
    )
  const newer = () =>
    buildContract(
      createClosed({ line: { type: 'integer' }, colour: { type: 'string', default: 'red' } }, [
        'line',
        'colour',
      ]),
      createClosed({ line: { type: 'integer' }, speed: { type: 'number' } }, ['line']),
    )

  it('sends and receives its own version, while the service receives and sends the newer one', async () => {
    const seen: unknown[] = []
    const serve = serveOlder({ api: await older() }, { api: await newer() }, async (request) => {
      seen.push([
        request.method,
        new URL(request.url).pathname,
        request.headers.get('x-other'),
        await request.json(),
      ])
      return Response.json({ line: 1, speed: 30 }, { headers: { 'x-request-id': 'r1' } })
    })
    const headers = { 'content-type': 'application/json', 'x-other': 'kept' }
    const body = JSON.stringify({ line: 4, note: 'slow' })
    const response = await serve(
      new Request('http://trams.example/api/trams/7', { method: 'PUT', headers, body }),
    )
    expect(seen).toEqual([['PUT', '/api/trams/7', 'kept', { line: 4, colour: 'red' }]])
    expect([response.status, response.headers.get('x-request-id'), await response.json()]).toEqual([
      200,
      'r1',
      { line: 1 },
    ])
  })

  it("gets the service's error for a body that its own version does not allow", async () => {
    const seen: string[] = []
    const serve = serveOlder({ api: await older() }, { api: await newer() }, async (request) => {
      seen.push(await request.text())
      return new Response(null, { status: 400 })
    })
    for (const body of ['{', '{"line":"x"}'])
      await serve(
        new Request('http://trams.example/trams/7', {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body,
        }),
      )
    expect(seen).toEqual(['{', '{"line":"x"}'])
  })

  it('gets an error for what has no counterpart, which the diff reports too', async () => {
    const [before, after] = [
      await older(),
      await buildContract(
        createClosed({ line: { type: 'integer' }, depot: text }, ['line', 'depot']),
        createClosed({}),
      ),
    ]
    const serve = serveOlder({ api: before }, { api: after }, async () =>
      Promise.resolve(Response.json({})),
    )
    const request = new Request('http://trams.example/trams/7', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"line":4}',
    })
    await expect(serve(request)).rejects.toThrow(
      new AdaptError('.depot is required in the other version, and has no default.'),
    )
    const changes = compareApi(before, after)
    expect(changes.find(({ code }) => code === 'request-required-property-added')?.witness).toEqual(
      {
        value: { line: 1 },
        acceptedBy: 'base',
      },
    )
    const possible = compareApi(before, await newer()).find(
      ({ code }) => code === 'request-required-property-added',
    )
    expect(possible?.witness).toEqual({
      value: { line: 1 },
      acceptedBy: 'base',
      adapted: { line: 1, colour: 'red' },
    })
  })
})

it('serves each caller the version in its header, and lists the supported versions', async () => {
  const createVersion = async (version: string, properties: object) => ({
    api: { ...(await buildContract(createClosed({}), createClosed(properties))), version },
  })
  const newest = await createVersion('2', { line: text, speed: text })
  const serve = serveVersions({
    newest,
    older: [await createVersion('1', { line: text })],
    serve: async () => Promise.resolve(Response.json({ line: 'S1', speed: 'fast' })),
  })
  const call = async (version?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(version !== undefined && { 'contract-version': version }),
    }
    const response = await serve(
      new Request('http://localhost/trams/1', { method: 'PUT', headers, body: '{}' }),
    )
    return [response.status, await response.json()]
  }
  expect(await call('1')).toEqual([200, { line: 'S1' }])
  expect(await call('2')).toEqual([200, { line: 'S1', speed: 'fast' }])
  expect(await call()).toEqual(await call('2'))
  expect(await call('3')).toEqual([
    400,
    { error: 'This version of the contract is not served.', found: '3', expected: '1 or 2' },
  ])
})
