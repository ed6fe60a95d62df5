import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createUpstreams } from '../app/create-upstreams.js'
import { createCatalogue } from '../domain/models/read-catalogue.js'
import { adminKey, startService, type TestResponse, type Harness } from '../../test/harness.js'

const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
let harness: Harness
let usage = { prompt_tokens: 100, completion_tokens: 200 }

const upstream = async () => {
  const events = [
    { choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }] },
    { choices: [], usage },
  ]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

const start = (catalogue: Parameters<typeof createCatalogue>[0]) =>
  startService({
    catalogue: createCatalogue(catalogue),
    upstreams: createUpstreams([{ name: 'one', capability: 'chat', url: 'http://127.0.0.1:9' }], {
      fetch: upstream,
    }),
  })
/** A service whose operator allows so many chats a minute. */
const startLimited = (requests: number) => start({ limits: { text: { default: { requests } } } })

beforeAll(async () => {
  harness = await start({ tiers: { S: { default: { requests: 3, tokens: 1_000 } } } })
})
afterAll(() => harness.service.close())
beforeEach(() => void (harness.clock.time += 120_000))

const sendChat = (body: object = {}, service = harness): Promise<TestResponse> =>
  service.call('createChatCompletion', '/chat/completions', {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'mistral-31-24b',
      messages: [{ role: 'user', content: 'Is it far?' }],
      max_tokens: 300,
      ...body,
    }),
  })

const readRateLimit = ({ headers: found }: TestResponse, name: string) =>
  Number(found.get(`x-ratelimit-${name}`))

describe('the rate limit tier of a model', () => {
  it.each([true, false])('limits requests and tokens, streamed: %s', async (stream) => {
    const first = await sendChat({ stream })
    expect(first.status).toBe(200)
    expect([
      readRateLimit(first, 'limit-requests'),
      readRateLimit(first, 'remaining-requests'),
    ]).toEqual([3, 2])
    expect(readRateLimit(first, 'limit-tokens')).toBe(1_000)
    // a stream begins before its tokens are known, so its head has what is reserved
    if (stream) expect(readRateLimit(first, 'remaining-tokens')).toBeLessThan(700)
    else expect(readRateLimit(first, 'remaining-tokens')).toBe(700)
    expect(readRateLimit(await sendChat(), 'remaining-tokens')).toBe(400)
  })

  it('rejects requests beyond its tokens, and says when one fits', async () => {
    expect((await sendChat()).status).toBe(200)
    harness.clock.time += 5_000
    expect((await sendChat()).status).toBe(200)
    const rejected = await sendChat({ max_tokens: 400 })
    expect([rejected.status, rejected.json['code']]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(readRateLimit(rejected, 'remaining-tokens')).toBe(400)
    const wait = readRateLimit(rejected, 'reset-tokens')
    expect(String(wait)).toBe(rejected.headers.get('retry-after'))
    // those of the first request return before those of the second one
    expect(wait).toBeLessThanOrEqual(56)
    harness.clock.time += wait * 1_000
    expect((await sendChat({ max_tokens: 400 })).status).toBe(200)
    const { json } = await harness.call('listRateLimitLogs', '/api_keys/rate_limits/log', {
      headers,
    })
    expect((json['data'] as object[])[0]).toMatchObject({ modelId: 'S', rateLimitType: 'TPM' })
  })

  it('admits no more than its requests', async () => {
    usage = { prompt_tokens: 1, completion_tokens: 1 }
    for (let count = 0; count < 3; count++) expect((await sendChat()).status).toBe(200)
    await sendChat()
    const rejected = await sendChat()
    expect([rejected.status, readRateLimit(rejected, 'remaining-requests')]).toEqual([429, 0])
    // neither of the two counts its tokens
    expect(readRateLimit(rejected, 'remaining-tokens')).toBe(1_000 - 3 * 2)
    harness.clock.time = readRateLimit(rejected, 'reset-requests') * 1_000
    expect((await sendChat()).status).toBe(200)
  })

  it('does not count the tokens of a request that is rejected or free', async () => {
    usage = { prompt_tokens: 100, completion_tokens: 200 }
    expect((await sendChat({ max_tokens: 99_999 })).status).toBe(400)
    expect(readRateLimit(await sendChat(), 'remaining-tokens')).toBe(700)
  })

  it('caps the tokens that an upstream reports at what is possible', async () => {
    usage = { prompt_tokens: 1e9, completion_tokens: 1e9 }
    expect(readRateLimit(await sendChat(), 'remaining-tokens')).toBeGreaterThan(400)
    expect((await sendChat()).status).toBe(200)
  })

  it('is the only limit for a short chat, unless the chat fails before', async () => {
    const usual = await startService()
    const send = (messages: readonly object[]) =>
      usual.call('createChatCompletion', '/chat/completions', {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'local-test-chat', messages, max_tokens: 1 }),
      })
    const fail = async () => readRateLimit(await send([]), 'remaining-requests')
    const left = await fail()
    for (let count = 0; count < 3; count++)
      expect((await send([{ role: 'user', content: 'Far?' }])).status).toBe(200)
    expect(await fail()).toBe(left - 1)
    await usual.service.close()
  })

  it('does not override a limit that the operator has set for all chats', async () => {
    const own = await startLimited(2)
    for (let count = 0; count < 2; count++) expect((await sendChat({}, own)).status).toBe(200)
    const third = await sendChat({}, own)
    expect([third.status, readRateLimit(third, 'limit-requests')]).toEqual([429, 2])
    await own.service.close()
  })

  it('also counts a long chat before its body is read', async () => {
    const own = await startLimited(2)
    const long = () => sendChat({ user: ' '.repeat(17_000) }, own)
    for (let count = 0; count < 2; count++) expect((await long()).status).toBe(200)
    const third = await long()
    expect([third.status, readRateLimit(third, 'limit-requests')]).toEqual([429, 2])
    await own.service.close()
  })

  it('admits nothing from a caller that is blocked', async () => {
    const fail = () =>
      harness.call('createSpeech', '/audio/speech', { method: 'POST', headers, body: '{}' })
    for (let count = 0; count < 21; count++) expect((await fail()).status).toBe(400)
    const blocked = await sendChat()
    expect([blocked.status, blocked.json['code']]).toEqual([429, 'TOO_MANY_FAILURES'])
    expect(readRateLimit(blocked, 'reset-requests')).toBe(
      Math.ceil(harness.clock.time / 1_000) + 30,
    )
    harness.clock.time += 30_000
    expect((await sendChat()).status).toBe(200)
  })

  it('matches GET /api_keys/rate_limits', async () => {
    const { json } = await harness.call('getRateLimits', '/api_keys/rate_limits', { headers })
    const { rateLimits } = json['data'] as {
      rateLimits: { apiModelId: string; rateLimits: object[] }[]
    }
    const findLimits = (id: string) =>
      rateLimits.find(({ apiModelId }) => apiModelId === id)?.rateLimits
    expect(findLimits('mistral-31-24b')).toEqual([
      { amount: 3, type: 'RPM' },
      { amount: 1_000, type: 'TPM' },
    ])
    expect(findLimits('local-test-chat')).toEqual([
      { amount: 500, type: 'RPM' },
      { amount: 1_000_000, type: 'TPM' },
    ])
    expect(findLimits('local-test-embedding')).toEqual([{ amount: 500, type: 'RPM' }])
    expect(findLimits('local-test-image')).toEqual([{ amount: 20, type: 'RPM' }])
    expect(findLimits('openai/whisper-large-v3')).toEqual([{ amount: 60, type: 'RPM' }])
  })
})
