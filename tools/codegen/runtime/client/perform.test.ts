import { describe, expect, it } from 'vitest'
import type { Call, OperationFacts } from './call.js'
import { readJson, readString } from './decode.js'
import { fetchSend } from './fetch-send.js'
import { InvalidInputError } from './invalid-input-error.js'
import {
  putCookie,
  putHeader,
  putParameters,
  putPath,
  putQuery,
  rejectMissing,
  writePair,
  writeSegment,
  writeText,
} from './parameters.js'
import { perform } from './perform.js'
import { writeStyled } from './serialize.js'

const facts: OperationFacts = {
  id: 'op',
  method: 'GET',
  path: '/a/{id}/b{id}{tail}?fixed=1',
  security: [[]],
  idempotent: true,
  parameters: [
    { name: 'id', in: 'path', write: writeSegment, put: putPath, missing: rejectMissing },
    { name: 'tail', in: 'path', style: 'matrix', explode: true, write: writeStyled, put: putPath },
    { name: 'q', in: 'query', style: 'form', explode: true, write: writeStyled, put: putQuery },
    { name: 'X-Key', field: 'xKey', in: 'header', write: writeText, put: putHeader },
    { name: 'one', in: 'cookie', write: writePair, put: putCookie },
    { name: 'two', in: 'cookie', write: writePair, put: putCookie },
  ],
  put: putParameters,
  accept: 'application/json, text/plain',
  responses: { 400: [['text/plain', readString]], 200: [['application/json', readJson]] },
}

async function recordCall(
  input: Readonly<Record<string, unknown>>,
  operation = facts,
): Promise<Call> {
  const calls: Call[] = []
  const send = (call: Call) => {
    calls.push(call)
    return Promise.resolve(Response.json({}))
  }
  await perform({ baseUrl: 'https://a.example', send }, operation, input)
  const [call] = calls
  if (call === undefined) throw new Error('expected a call')
  return call
}

describe('perform', () => {
  it('puts each field in its declared place', async () => {
    const { url, method, headers, ...rest } = await recordCall({
      id: '{tail}',
      tail: ['x', 'y'],
      q: ['1', '2'],
      one: 'a',
      two: 'b c',
      xKey: 'k',
    })
    expect([method, url]).toEqual([
      'GET',
      'https://a.example/a/%7Btail%7D/b%7Btail%7D;tail=x;tail=y?fixed=1&q=1&q=2',
    ])
    expect([...headers]).toEqual([
      ['accept', 'application/json, text/plain'],
      ['cookie', 'one=a; two=b%20c'],
      ['x-key', 'k'],
    ])
    expect(rest).toEqual({ operation: facts })
  })

  it('keeps a replacement pattern in a value, and a placeholder without a value', async () => {
    expect((await recordCall({ id: "$&$'", tail: '' })).url).toBe(
      'https://a.example/a/%24%26%24%27/b%24%26%24%27;tail?fixed=1',
    )
  })

  it('reads only own properties of the input', async () => {
    await expect(
      recordCall(Object.create({ id: 'inherited' }) as Record<string, unknown>),
    ).rejects.toThrow(
      new InvalidInputError('op: the path parameter "id" is required, and the input has no "id".'),
    )
  })

  it('rejects an empty path parameter, which would change the path', async () => {
    await expect(recordCall({ id: '' })).rejects.toThrow('op: the path parameter "id" is required')
  })

  it('rejects before anything is sent', async () => {
    let sent = 0
    const send = () => Promise.resolve(Response.json(sent++))
    await expect(perform({ baseUrl: '', send }, facts, {})).rejects.toThrow(TypeError)
    expect(sent).toBe(0)
  })
})

describe('fetchSend', () => {
  const stream = () => new Blob(['a']).stream()
  const recordInit = async (call: Partial<Call>): Promise<RequestInit | undefined> => {
    let given: RequestInit | undefined
    const fetch: typeof globalThis.fetch = async (_, init) => {
      given = init
      return new Response()
    }
    await fetchSend(fetch)({
      url: 'https://a.example',
      method: 'POST',
      headers: new Headers(),
      ...call,
    })
    return given
  }

  it('creates the body again, and sets duplex for a stream', async () => {
    expect(await recordInit({ body: () => 'made' })).toEqual({
      method: 'POST',
      headers: new Headers(),
      body: 'made',
    })
    expect(await recordInit({ body: stream })).toMatchObject({ duplex: 'half' })
    expect(await recordInit({ body: null })).toEqual({ method: 'POST', headers: new Headers() })
  })

  it("passes the caller's signal and other fetch options", async () => {
    const { signal } = new AbortController()
    const init = await recordInit({ signal, init: { cache: 'no-store' } })
    expect([init?.signal === signal, init?.cache]).toEqual([true, 'no-store'])
  })

  it('rejects when a body cannot be created', async () => {
    const broken = () => {
      throw new Error('gone')
    }
    await expect(recordInit({ body: broken })).rejects.toThrow('gone')
  })
})
