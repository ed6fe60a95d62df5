import { afterAll, afterEach, beforeAll, expect, describe, it } from 'vitest'
import { createUpstreams } from '../app/create-upstreams.js'
import { countTokens } from '../domain/text/count-tokens.js'
import {
  readChunks,
  readContent,
  streamCompletion,
  type Completion,
} from '../../test/chat-script.js'
import {
  startService,
  type TestResponse,
  type Harness,
  type TestWallet,
} from '../../test/harness.js'
import { startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'

let upstream: ScriptedUpstream
let other: ScriptedUpstream
let harness: Harness
let wallet: TestWallet
const records: unknown[] = []

/** Prices of the model in micro-USD for a million tokens: input, cached input, output. */
const [input, cached, output] = [50_000n, 25_000n, 150_000n]
const model = 'qwen3-4b'
/** Its upstream waits for a moment alone. */
const impatient = 'mistral-31-24b'
const messages = [{ role: 'user', content: 'Say hello.' }]

beforeAll(async () => {
  upstream = await startScripted()
  other = await startScripted()
  harness = await startService({
    onRequest: (record) => records.push(record),
    upstreams: createUpstreams([
      {
        name: 'one',
        capability: 'chat',
        url: `${upstream.origin}/v1`,
        apiKey: 'secret-of-one',
        models: [model, 'llama-3.2-3b'],
        modelNames: { [model]: 'Qwen/Qwen3-4B' },
        extraFields: ['top_k'],
        retries: 0,
        breaker: { failures: 1_000 },
      },
      {
        name: 'impatient',
        capability: 'chat',
        url: upstream.origin,
        models: [impatient],
        retries: 0,
        breaker: { failures: 1_000 },
        timeouts: { firstByteMs: 200, idleMs: 200 },
      },
      {
        name: 'two',
        capability: 'chat',
        url: other.origin,
        models: ['llama-3.2-3b'],
        retries: 0,
        weight: 0,
      },
    ]),
  })
  wallet = await harness.richWallet()
})

afterAll(async () => {
  await harness.service.close()
  upstream.close()
  other.close()
})
afterEach(() => {
  expect(harness.crashes).toEqual([])
  // nobody is blocked, or over a limit
  harness.clock.time += 120_000
})

const scriptCompletion = (completion: Completion) => {
  upstream.script = (response) => void streamCompletion(response, completion)
}

/** An upstream that does not stream. */
const scriptJson = (value: object) => {
  upstream.script = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function sendChat(
  body: object,
  headers: Readonly<Record<string, string>> = {},
  who = wallet,
): Promise<TestResponse> {
  return harness.call('createChatCompletion', '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await harness.signIn(who)), ...headers },
    body: JSON.stringify({ model, messages, ...body }),
  })
}

/** What a call costs its wallet, in micro-USD. */
async function measureCost<T>(work: () => Promise<T>, who = wallet): Promise<[T, bigint]> {
  const before = await harness.ledger.balance(who.address)
  const result = await work()
  const after = () => harness.ledger.balance(who.address)
  // a stream is charged before it ends, and a client that left is charged later
  return [result, before - (await after())]
}

/** Another way to compute the price. */
function computePrice(prompt: number, completion: number, fromCache = 0): bigint {
  const exact =
    BigInt(prompt - fromCache) * input + BigInt(fromCache) * cached + BigInt(completion) * output
  return exact / 1_000_000n + (exact % 1_000_000n === 0n ? 0n : 1n)
}

const countHolds = () =>
  harness.database
    .query<{ n: bigint }>(`select count(*) as n from hold where state = 'held'`)
    .then(([row]) => Number(row?.n))

describe('a completion', () => {
  it("contains the upstream's text, and costs what the upstream reports", async () => {
    scriptCompletion({ usage: { prompt: 12, completion: 345, cached: 5 } })
    const [response, price] = await measureCost(() => sendChat({}))
    expect(response.status).toBe(200)
    expect(response.json).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Hello, world.', refusal: null },
        },
      ],
      usage: {
        prompt_tokens: 12,
        completion_tokens: 345,
        total_tokens: 357,
        prompt_tokens_details: { cached_tokens: 5 },
        cost_usd: Number(price) / 1e6,
      },
    })
    expect(price).toBe(computePrice(12, 345, 5))
    expect(response.headers.get('x-farebox-backend')).toBe('upstream')
    const { path, body } = upstream.received.at(-1) ?? {}
    expect(path).toBe('POST /v1/chat/completions')
    expect(JSON.parse(String(body))).toEqual({
      model: 'Qwen/Qwen3-4B',
      messages,
      max_tokens: 16_384,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it.each([
    ['within the completion', 32 + 103, 103],
    ['beside it, as xAI does', 32 + 9 + 94, 9],
  ])('charges its reasoning tokens, counted %s', async (_where, total_tokens, completion) => {
    const usage = {
      prompt_tokens: 32,
      completion_tokens: completion,
      total_tokens,
      completion_tokens_details: { reasoning_tokens: 94 },
    }
    const choices = [{ index: 0, message: { content: 'A tram.' }, finish_reason: 'stop' }]
    scriptJson({ choices, usage })
    const [response, price] = await measureCost(() => sendChat({}))
    expect(response.json['usage']).toMatchObject({
      completion_tokens: 103,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 },
    })
    expect(price).toBe(computePrice(32, 103))
  })

  it.each([
    [[], 500],
    [[null, 'text'], 500],
    [[{ index: 0, message: { content: 'A tram.' }, finish_reason: 'stop' }], 200],
  ])('without choices in a whole response fails: %j', async (choices, status) => {
    scriptJson({ choices, usage: { prompt_tokens: 3, completion_tokens: 0 } })
    const [response] = await measureCost(() => sendChat({}))
    expect(response.status).toBe(status)
  })

  it.each([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 80 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 80, prompt_cache_miss_tokens: 20 }],
    ['DeepSeek with null', { prompt_cache_hit_tokens: 80, prompt_tokens_details: null }],
    ['Moonshot', { cached_tokens: 80 }],
  ])('costs less for cached tokens as reported by %s', async (_name, details) => {
    const usage = { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109, ...details }
    const choices = [{ index: 0, message: { content: 'A tram.' }, finish_reason: 'stop' }]
    scriptJson({ choices, usage })
    const [response, price] = await measureCost(() => sendChat({}))
    expect(response.json['usage']).toMatchObject({ prompt_tokens_details: { cached_tokens: 80 } })
    expect(price).toBe(computePrice(100, 9, 80))
  })

  it('reuses the connection to the upstream, even when it ends after its [DONE]', async () => {
    const ports: (number | undefined)[] = []
    let end = () => undefined as void
    upstream.script = (response, { socket }) => {
      ports.push(socket.remotePort)
      const chunk = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
      end = () => void response.end()
    }
    for (let call = 0; call < 20; call++) {
      expect((await sendChat({})).status).toBe(200)
      end()
    }
    // a slow machine may see an end only after the next call
    expect(new Set(ports).size).toBeLessThan(20)
  })

  it.each([true, false])('streams, with usage: %s', async (include_usage) => {
    scriptCompletion({ usage: { prompt: 7, completion: 3 } })
    const [response, price] = await measureCost(() =>
      sendChat({ stream: true, ...(include_usage && { stream_options: { include_usage } }) }),
    )
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(readContent(response.text)).toBe('Hello, world.')
    expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true)
    const chunks = readChunks(response.text)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks[0]).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }],
    })
    expect(chunks.flatMap(({ usage }) => usage ?? [])).toEqual(
      include_usage
        ? [
            {
              prompt_tokens: 7,
              completion_tokens: 3,
              total_tokens: 10,
              prompt_tokens_details: { cached_tokens: 0 },
              cost_usd: Number(price) / 1e6,
            },
          ]
        : [],
    )
    expect(price).toBe(computePrice(7, 3))
  })

  it.each([
    ['[DONE]', 'done'],
    ['the end of the body', 'end'],
    ['a reset after the last choice', 'reset'],
    ['a last event without an empty line', 'unterminated'],
    ['an error after the last choice', 'error'],
  ] as const)(
    'ends with %s, and is counted by the service if usage is missing',
    async (_name, ending) => {
      scriptCompletion({ ending })
      for (const stream of [true, false]) {
        const [response, price] = await measureCost(() => sendChat({ stream }))
        expect(response.status).toBe(200)
        const text = stream
          ? readContent(response.text)
          : (response.json['choices'] as { message: { content: string } }[])[0]?.message.content
        expect(text).toBe('Hello, world.')
        const prompt = 3 + 4 + countTokens('Say hello.')
        expect(price).toBe(computePrice(prompt, countTokens('Hello, world.')))
      }
    },
  )

  it.each([
    ['an error event', { ending: 'error', finish: null }],
    ['a reset', { ending: 'reset', finish: null }],
    ['an end without finish_reason', { ending: 'end', finish: null }],
    ['[DONE] without finish_reason', { ending: 'done', finish: null }],
  ] as const)('that breaks off with %s is free, and says so', async (_name, completion) => {
    scriptCompletion({ ...completion, usage: { prompt: 5, completion: 5 } })
    const [response, price] = await measureCost(() => sendChat({ stream: true }))
    expect(response.status).toBe(200)
    // the AI SDK ignores the error of an event that has `choices`
    expect(readChunks(response.text).at(-1)).toEqual({
      error: { message: expect.any(String) as string, code: expect.any(String) as string },
    })
    expect(response.text).not.toContain('[DONE]')
    expect(response.text).not.toContain('out of memory')
    expect(price).toBe(0n)
    const [whole, none] = await measureCost(() => sendChat({}))
    expect(whole.status).toBeGreaterThanOrEqual(500)
    expect(none).toBe(0n)
    expect(await countHolds()).toBe(0)
  })

  it('that never starts or never ends is free', async () => {
    for (const pieces of [[], ['Hello']]) {
      scriptCompletion({ pieces, ending: 'stall', finish: null })
      for (const stream of [true, false]) {
        const [response, price] = await measureCost(() => sendChat({ stream, model: impatient }))
        expect(price).toBe(0n)
        expect(response.text).toMatch(/"error"/)
        expect(response.text).not.toContain('[DONE]')
      }
    }
    expect(await countHolds()).toBe(0)
  })

  it.each([
    ['a refusal', { deltas: [{ refusal: 'I will not.' }] }],
    ['a content filter without content', { pieces: [], finish: 'content_filter' }],
    ['nothing', { pieces: [] }],
    ['thoughts alone', { deltas: [{ reasoning_content: 'Hm.' }], finish: 'length' }],
  ])('of %s is free', async (_name, completion) => {
    scriptCompletion({ ...completion, usage: { prompt: 50, completion: 50 } })
    for (const stream of [true, false]) {
      const [response, price] = await measureCost(() => sendChat({ stream }))
      expect([response.status, price]).toEqual([200, 0n])
    }
  })

  it('with content before a content filter is charged', async () => {
    scriptCompletion({ finish: 'content_filter', usage: { prompt: 5, completion: 3 } })
    expect((await measureCost(() => sendChat({})))[1]).toBe(computePrice(5, 3))
  })

  it('returns each of several choices, with tool calls joined from their chunks', async () => {
    scriptCompletion({
      n: 2,
      finish: 'tool_calls',
      deltas: [
        { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'find', arguments: '{"a"' } }] },
        { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      ],
    })
    const [response, price] = await measureCost(() => sendChat({ n: 2 }))
    const message = {
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } },
      ],
    }
    expect(response.json['choices']).toMatchObject([
      { index: 0, finish_reason: 'tool_calls', message },
      { index: 1, message },
    ])
    const completion = 2 * (countTokens('find') + countTokens('{"a":1}'))
    expect(price).toBe(computePrice(3 + 4 + countTokens('Say hello.'), completion))
  })

  it('beyond the hold costs what was held, and the rest is recorded in a metric', async () => {
    scriptCompletion({ usage: { prompt: 1_000_000, completion: 1_000_000 } })
    const [response, price] = await measureCost(() => sendChat({ max_tokens: 100 }))
    expect(response.status).toBe(200)
    const bound = 256 + 16 + 8 + 'Say hello.'.length
    expect(price).toBe(computePrice(bound, 100))
    expect(await harness.metrics()).toMatch(
      /farebox_beyond_hold_usd_total\{capability="chat",model="qwen3-4b"\} 0\.19/,
    )
  })
})

it('keeps prompts and completions out of logs, traces and metrics', async () => {
  const secret = 'the-secret-of-the-harbour'
  const messages = [{ role: 'user', content: secret }]
  scriptCompletion({ pieces: [secret] })
  await sendChat({ messages })
  scriptCompletion({ pieces: [secret], ending: 'error', finish: null })
  await sendChat({ messages, stream: true })
  upstream.script = (response) =>
    response.writeHead(500, { 'content-type': 'application/json' }).end(`{"error":"${secret}"}`)
  await sendChat({ messages })
  const told = JSON.stringify([harness.troubles, records, await harness.metrics()])
  expect(told).toContain('createChatCompletion')
  expect(told).toContain('Chat: one returned 500')
  expect(told).not.toContain(secret)
  const rows = await harness.database.query('select e::text as row from entry e')
  expect(JSON.stringify(rows)).not.toContain(secret)
})

describe('the limit of a completion', () => {
  const limitSent = () =>
    (JSON.parse(String(upstream.received.at(-1)?.body)) as { max_tokens: number }).max_tokens

  it('is lowered to what a wallet can pay if the caller set none', async () => {
    const poor = await harness.richWallet(0.000_1)
    scriptCompletion({ usage: { prompt: 5, completion: 3 } })
    const [response, price] = await measureCost(() => sendChat({}, {}, poor), poor)
    expect([response.status, price]).toEqual([200, computePrice(5, 3)])
    const bound = 256 + 16 + 8 + 'Say hello.'.length
    const limit = limitSent()
    expect(computePrice(bound, limit)).toBeLessThanOrEqual(100n)
    expect(computePrice(bound, limit + 1)).toBeGreaterThan(100n)
  })

  it('is not lowered if the caller set one: 402 with instructions', async () => {
    const poor = await harness.richWallet(0.000_1)
    const { status, json } = await sendChat({ max_completion_tokens: 10_000 }, {}, poor)
    expect(status).toBe(402)
    expect(json).toMatchObject({
      code: 'PAYMENT_REQUIRED',
      topUpInstructions: { network: expect.any(String) as string },
    })
  })

  it('is not lowered to zero', async () => {
    const poor = await harness.richWallet(0.000_002)
    expect((await sendChat({}, {}, poor)).status).toBe(402)
  })
})

describe('a request', () => {
  it.each([
    ['no messages', { messages: [] }, 'messages'],
    [
      'a tool message without its call',
      { messages: [{ role: 'tool', content: 'x', tool_call_id: 'c' }] },
      'messages',
    ],
    ['a model of another kind', { model: 'tts-kokoro' }, 'model'],
    ['a model that nobody serves', { model: 'kimi-k2-thinking' }, 'model'],
    ['the test model', { model: 'local-test-chat' }, 'model'],
    ['a limit of 0', { max_tokens: 0 }, 'max_tokens'],
    ['a limit above that of the model', { max_completion_tokens: 16_385 }, 'max_completion_tokens'],
    ['two limits', { max_tokens: 1, max_completion_tokens: 2 }, 'max_tokens'],
    [
      'a prompt beyond the context',
      { messages: [{ role: 'user', content: 'word '.repeat(40_000) }] },
      'messages',
    ],
    [
      'an image for a model without',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
          },
        ],
      },
      'messages',
    ],
    [
      'a remote image',
      {
        model: 'mistral-31-24b',
        messages: [
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
          },
        ],
      },
      'messages',
    ],
    ['an unknown field', { top_q: 1 }, 'top_q'],
    [
      'a tool that is not there',
      { tool_choice: { type: 'function', function: { name: 'a' } } },
      'tool_choice',
    ],
    ['a role that is not there', { messages: [{ role: 'poet', content: 'x' }] }, 'messages'],
  ] as const)(
    'with %s returns 400 with its field, before any upstream call or hold',
    async (_name, body, field) => {
      const before = upstream.received.length
      const [{ status, json }, price] = await measureCost(() => sendChat(body))
      expect([status, price]).toEqual([400, 0n])
      expect(Object.keys(json['details'] as object)).toContain(field)
      expect(upstream.received.length).toBe(before)
    },
  )

  it('forwards a field that its upstream is configured to accept', async () => {
    scriptCompletion({})
    expect((await sendChat({ top_k: 5 })).status).toBe(200)
    expect(JSON.parse(String(upstream.received.at(-1)?.body))).toMatchObject({ top_k: 5 })
  })

  it('leaves out a field that is null, whatever upstreams take, as of clients that send all of theirs', async () => {
    scriptCompletion({})
    expect((await sendChat({ logit_bias: null, service_tier: null })).status).toBe(200)
    expect(JSON.parse(String(upstream.received.at(-1)?.body))).not.toHaveProperty('logit_bias')
  })

  it('of more than 32 MiB is 413', async () => {
    const content = 'x'.repeat(32 * 1024 * 1024)
    const { status } = await sendChat({ messages: [{ role: 'user', content }] })
    expect(status).toBe(413)
  })

  it('is replayed by its Idempotency-Key, streamed or not, and charged once', async () => {
    for (const stream of [true, false]) {
      scriptCompletion({ usage: { prompt: 5, completion: 3 } })
      const key = { 'idempotency-key': `key-${stream}` }
      const before = upstream.received.length
      const [[first, again], price] = await measureCost(async () => [
        await sendChat({ stream }, key),
        await sendChat({ stream }, key),
      ])
      expect(again?.text).toBe(first?.text)
      expect(again?.headers.get('idempotent-replayed')).toBe('true')
      expect(price).toBe(computePrice(5, 3))
      expect(upstream.received.length).toBe(before + 1)
    }
  })

  it('that broke off is not replayed by its Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'key-broken' }
    scriptCompletion({ ending: 'error', finish: null })
    await sendChat({ stream: true }, key)
    scriptCompletion({ usage: { prompt: 5, completion: 3 } })
    const [response, price] = await measureCost(() => sendChat({ stream: true }, key))
    expect(readContent(response.text)).toBe('Hello, world.')
    expect(price).toBe(computePrice(5, 3))
  })

  it('fails over to another upstream before the first chunk, but never after it', async () => {
    other.script = (response) => void streamCompletion(response, { pieces: ['Other'] })
    upstream.script = (response) => response.writeHead(503).end()
    const answer = await sendChat({ model: 'llama-3.2-3b' })
    expect(answer.json['choices']).toMatchObject([{ message: { content: 'Other' } }])
    scriptCompletion({ ending: 'reset', finish: null })
    const before = other.received.length
    expect((await sendChat({ model: 'llama-3.2-3b', stream: true })).text).toContain('"error"')
    expect(other.received.length).toBe(before)
  })
})
