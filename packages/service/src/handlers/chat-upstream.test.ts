import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createUpstreams } from '../app/create-upstreams.js'
import { readContent, streamCompletion } from '../../test/chat-script.js'
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
const model = 'qwen3-4b'
/** Has another upstream in reserve. */
const backed = 'llama-3.2-3b'
/** Its upstream is named by the whole URL of its chat. */
const whole = 'mistral-31-24b'

beforeAll(async () => {
  upstream = await startScripted()
  other = await startScripted()
  other.script = (response) => void streamCompletion(response, { pieces: ['Other'] })
  const chats = { capability: 'chat', retries: 0 } as const
  harness = await startService({
    upstreams: createUpstreams([
      {
        ...chats,
        name: 'one',
        url: upstream.origin,
        models: [model, backed],
        breaker: { failures: 1_000 },
      },
      { ...chats, name: 'whole', url: `${other.origin}/v1/chat/completions/`, models: [whole] },
      { ...chats, name: 'two', url: other.origin, models: [backed], weight: 0 },
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
})

/** The upstream responds with these events, or with one object. */
function answer(value: object | readonly object[]): void {
  upstream.script = (response) => {
    if (!Array.isArray(value)) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of value) response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
}

async function chat(body: object = {}): Promise<TestResponse & { readonly price: bigint }> {
  // nobody is blocked, or over a limit
  harness.clock.time += 120_000
  const before = await harness.ledger.balance(wallet.address)
  const response = await harness.call('createChatCompletion', '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await harness.signIn(wallet)) },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello.' }], ...body }),
  })
  return { ...response, price: before - (await harness.ledger.balance(wallet.address)) }
}

describe('an error of an upstream in a response of status 200', () => {
  it.each([
    ['the body', (error: object) => ({ error })],
    ['a choice', (error: object) => ({ choices: [{ index: 0, finish_reason: 'error', error }] })],
  ])('fails by the code in %s, streamed or not', async (_where, toBody) => {
    for (const [code, status] of [
      [400, 400],
      ['413', 400],
      [429, 503],
      [502, 503],
      [401, 500],
      ['server_error', 500],
    ] as const) {
      const value = toBody({ code, message: 'too long' })
      for (const given of [value, [value]]) {
        answer(given)
        const { status: found, text, price } = await chat()
        expect([code, found, price]).toEqual([code, status, 0n])
        expect(text.includes('too long')).toBe(status === 400)
        // another upstream gets what this one does not reject as wrong
        expect((await chat({ model: backed })).status).toBe(status === 400 ? 400 : 200)
      }
    }
  })
})

describe('the end of a completion', () => {
  const part = { index: 0, delta: { content: 'Half a' }, finish_reason: null }
  const end = (finish_reason: string) => [
    { choices: [part] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
  ]

  it.each(['error', 'ABORT', 'network_error', 'insufficient_system_resource'])(
    'by %s is a failure, and free',
    async (reason) => {
      answer(end(reason))
      const streamed = await chat({ stream: true })
      expect(streamed.text).toContain('"error"')
      expect(streamed.text).not.toContain('[DONE]')
      const message = { content: 'Half a' }
      answer({ choices: [{ index: 0, message, finish_reason: reason }] })
      const whole = await chat()
      expect([streamed.price, whole.status, whole.price]).toEqual([0n, 500, 0n])
    },
  )

  it.each([
    ['eos', 'stop'],
    ['STOP', 'stop'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['tool_use', 'tool_calls'],
    ['SAFETY', 'content_filter'],
    ['sensitive', 'content_filter'],
  ])('by %s is reported as %s', async (reason, finish_reason) => {
    answer(end(reason))
    expect((await chat()).json['choices']).toMatchObject([{ finish_reason }])
  })
})

it('separates tool calls that an upstream does not number', async () => {
  const calls = ['find', 'open'].map((name) => ({ id: name, function: { name, arguments: '{}' } }))
  answer([
    ...calls.map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ])
  const { json } = await chat()
  expect(json['choices']).toMatchObject([{ message: { tool_calls: calls } }])
})

it('counts the tokens of a completion when its upstream reports none', async () => {
  const choices = [{ index: 0, message: { content: 'A tram.' }, finish_reason: 'stop' }]
  answer({ choices })
  const uncounted = await chat()
  expect(uncounted.price).toBeGreaterThan(0n)
  answer({ choices, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } })
  const { json, price } = await chat()
  expect([json['usage'], price]).toEqual([uncounted.json['usage'], uncounted.price])
})

describe('the reasoning of a model', () => {
  const end = { finish_reason: 'stop' }
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Rails.' }] }

  it.each([
    ['reasoning_content', { content: 'A tram.', reasoning_content: 'Rails.' }],
    ['reasoning', { content: 'A tram.', reasoning: 'Rails.' }],
    ['reasoning beside null', { content: 'A tram.', reasoning_content: null, reasoning: 'Rails.' }],
    ['parts', { content: [thinking, { type: 'text', text: 'A tram.' }] }],
  ])('is read from %s, separately from the content', async (_name, message) => {
    const expected = { content: 'A tram.', reasoning_content: 'Rails.' }
    answer({ choices: [{ index: 0, message, ...end }] })
    const { json, price } = await chat()
    expect(json['choices']).toMatchObject([{ message: expected }])
    expect(price).toBeGreaterThan(0n)
    answer([{ choices: [{ index: 0, delta: message, ...end }] }])
    expect((await chat()).json['choices']).toMatchObject([{ message: expected }])
  })
})

it('numbers several completions without an index in order of arrival', async () => {
  const contents = ['A tram.', 'A bus.']
  answer({ choices: contents.map((content) => ({ message: { content }, finish_reason: 'stop' })) })
  const choices = contents.map((content, index) => ({ index, message: { content } }))
  expect((await chat({ n: 2 })).json['choices']).toMatchObject(choices)
})

it('tries another upstream after one that sent only the role', async () => {
  const role = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }
  for (const fault of [[{ error: { code: 502 } }], []]) {
    answer([role, ...fault])
    const streamed = await chat({ model: backed, stream: true })
    expect(readContent(streamed.text)).toBe('Other')
    expect(streamed.text.match(/"role"/g)).toHaveLength(1)
    expect((await chat({ model: backed })).json['choices']).toMatchObject([
      { message: { content: 'Other' } },
    ])
  }
  answer([role, { choices: [{ index: 0, delta: { content: 'One' } }] }])
  const { text } = await chat({ model: backed, stream: true })
  expect([readContent(text), text.includes('"error"')]).toEqual(['One', true])
})

it('uses the URL of an upstream that already includes the chat path', async () => {
  expect((await chat({ model: whole })).status).toBe(200)
  expect(other.received.at(-1)?.path).toBe('POST /v1/chat/completions')
})

it.each([
  ['stop', 'tool_calls'],
  ['tool_calls', 'tool_calls'],
  // its arguments may be incomplete
  ['length', 'length'],
])('a completion with a tool call that ends by %s ends by %s', async (reason, finish_reason) => {
  const tool_calls = [{ index: 0, id: 'x', function: { name: 'find', arguments: '{}' } }]
  const end = { index: 0, finish_reason: reason }
  answer({ choices: [{ ...end, message: { tool_calls } }] })
  expect((await chat()).json['choices']).toMatchObject([{ finish_reason }])
  answer([{ choices: [{ index: 0, delta: { tool_calls } }] }, { choices: [{ ...end, delta: {} }] }])
  expect((await chat({ stream: true })).text).toContain(`"finish_reason":"${finish_reason}"`)
})

it('omits an empty list of tool calls', async () => {
  answer([
    { choices: [{ index: 0, delta: { content: 'A tram.', tool_calls: [] } }] },
    { choices: [{ index: 0, delta: { tool_calls: [] }, finish_reason: 'stop' }] },
  ])
  expect((await chat({ stream: true })).text).not.toContain('tool_calls')
  // and begins no completion
  answer([{ choices: [{ index: 0, delta: { content: '', tool_calls: [] } }] }, { error: {} }])
  expect(readContent((await chat({ model: backed, stream: true })).text)).toBe('Other')
})

it.each(['text/plain', 'application/json', undefined])(
  'reads events with the content type %s',
  async (type) => {
    const choices = [{ index: 0, delta: { content: 'A tram.' }, finish_reason: 'stop' }]
    upstream.script = (response) => {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type })
      response.end(`: processing\n\ndata: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`)
    }
    expect(readContent((await chat({ stream: true })).text)).toBe('A tram.')
  },
)

it('tells proxies not to buffer a stream', async () => {
  answer([{ choices: [{ index: 0, delta: { content: 'A tram.' }, finish_reason: 'stop' }] }])
  const headers = await Promise.all(
    [true, false].map(async (stream) => (await chat({ stream })).headers.get('x-accel-buffering')),
  )
  expect(headers).toEqual(['no', null])
})
