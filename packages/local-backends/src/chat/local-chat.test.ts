import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, describe, expect, it } from 'vitest'
import { createTaskThread } from '../tasks/task-thread.js'
import { createLocalChat, type LocalChatPiece } from './local-chat.js'
import type { LocalChatRequest } from './write-reply.js'

const tokenizer = { encode: (text: string) => encode(text), decode }
const thread = createTaskThread()
const chat = createLocalChat({ tokenizer, thread, sleep: async () => undefined })
afterAll(() => thread.close())

const hello: LocalChatRequest = { messages: [{ role: 'user', content: 'Hello, trams!' }] }
const model = 'local-test-chat'

type Options = { readonly n?: number; readonly maxTokens?: number; readonly signal?: AbortSignal }

async function complete(
  request: Partial<LocalChatRequest>,
  { n = 1, maxTokens = 1_000, signal = new AbortController().signal }: Options = {},
) {
  const task = { model, caller: 'a', request: { ...hello, ...request }, n, maxTokens }
  const pieces: LocalChatPiece[] = []
  for await (const piece of chat.complete(task, signal)) pieces.push(piece)
  const choices = Array.from({ length: n }, (_, index) => {
    const own = pieces.flatMap((piece) => piece.choices.filter((one) => one.index === index))
    const calls = own.flatMap(({ delta }) => delta.tool_calls ?? [])
    return {
      content: own.map(({ delta }) => delta.content ?? '').join(''),
      name: calls[0]?.function?.name,
      id: calls[0]?.id,
      arguments: calls.map((call) => call.function?.arguments ?? '').join(''),
      finish: own.flatMap(({ finish_reason: finish }) => finish ?? []),
      deltas: own,
    }
  })
  return { pieces, choices, completionTokens: pieces.at(-1)?.completionTokens }
}

describe('a completion of the test model', () => {
  it('says that it is a test, repeats the message, and counts its tokens', async () => {
    const { choices, completionTokens, pieces } = await complete({})
    expect(choices[0]?.content).toBe(
      'I am local-test-chat, a test model that repeats what it is sent. You wrote: Hello, trams!',
    )
    expect(choices[0]?.finish).toEqual(['stop'])
    expect(completionTokens).toBe(encode(choices[0]?.content ?? '').length)
    // the role, each token, the end and the count
    expect(pieces).toHaveLength((completionTokens ?? 0) + 3)
    expect(await complete({})).toEqual(await complete({}))
  })

  it('reads all messages: instructions, media, results of tools', async () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, { type: 'image_url' }] },
    ]
    expect((await complete({ messages })).choices[0]?.content).toMatch(
      /My instructions have 2 words. Your message has 1 attachment. You wrote: Look.$/,
    )
    const result = { role: 'tool', content: '21 °C' }
    expect((await complete({ messages: [...messages, result] })).choices[0]?.content).toMatch(
      /The tool returned: 21 °C$/,
    )
  })

  it.each([
    ['one', 'test model', 'I am local-test-chat, a '],
    ['the first of several', ['sent', ', a', 'not there'], 'I am local-test-chat'],
    ['one within a token', 'hat,', 'I am local-test-c'],
  ])('ends before a stop sequence: %s', async (_name, stop, text) => {
    const [choice] = (await complete({ stop })).choices
    expect(choice?.content).toBe(text)
    expect(choice?.finish).toEqual(['stop'])
  })

  it('ends at its limit, also inside a character of several tokens', async () => {
    const messages = [{ role: 'user', content: '𒀀𒀁𒀂 👩‍👩‍👧‍👦' }]
    const { choices: whole, completionTokens: all = 0 } = await complete({ messages })
    for (let maxTokens = 1; maxTokens < all; maxTokens++) {
      const { choices, completionTokens } = await complete({ messages }, { maxTokens })
      expect(completionTokens).toBe(maxTokens)
      expect(choices[0]?.finish).toEqual(['length'])
      expect(whole[0]?.content.startsWith(choices[0]?.content ?? '')).toBe(true)
      expect(choices[0]?.content).not.toContain('\ufffd')
    }
    expect((await complete({ messages }, { maxTokens: all })).choices[0]?.finish).toEqual(['stop'])
  })

  it('comes n times, token by token in turns', async () => {
    const { choices, pieces, completionTokens } = await complete({}, { n: 3 })
    expect(choices.map(({ content }) => /completion \d of 3/.exec(content)?.[0])).toEqual([
      'completion 1 of 3',
      'completion 2 of 3',
      'completion 3 of 3',
    ])
    expect(pieces.slice(0, 6).map(({ choices: [one] }) => one?.index)).toEqual([0, 1, 2, 0, 1, 2])
    expect(completionTokens).toBe(
      choices.reduce((sum, { content }) => sum + encode(content).length, 0),
    )
  })

  it('ends with the count of what was made when its caller leaves', async () => {
    const caller = new AbortController()
    const task = { model, caller: 'a', request: hello, n: 1, maxTokens: 1_000 }
    const seen: LocalChatPiece[] = []
    for await (const piece of chat.complete(task, caller.signal)) {
      seen.push(piece)
      if (seen.length === 4) caller.abort()
    }
    expect(seen).toHaveLength(5)
    expect(seen.at(-1)).toEqual({ choices: [], completionTokens: 3 })
  })

  it('has log probabilities where they are wanted', async () => {
    const { choices } = await complete({ logprobs: true, top_logprobs: 2 })
    const tokens = choices[0]?.deltas.flatMap(({ logprobs }) => logprobs?.content ?? []) ?? []
    expect(tokens.map(({ token }) => token).join('')).toBe(choices[0]?.content)
    expect(tokens[0]).toEqual({
      token: 'I',
      logprob: 0,
      bytes: [73],
      top_logprobs: [{ token: 'I', logprob: 0, bytes: [73] }],
    })
  })
})

const weather = {
  function: {
    name: 'getWeather',
    description: 'The forecast of a place',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
}
const clock = { function: { name: 'clock' } }

describe('the tools of the test model', () => {
  const question = [{ role: 'user', content: 'How is the weather in Lisbon?' }]

  it('are called where the message has words of them, with valid arguments', async () => {
    const { choices, completionTokens } = await complete({
      tools: [clock, weather],
      messages: question,
    })
    const [choice] = choices
    expect(choice?.name).toBe('getWeather')
    expect(choice?.id).toMatch(/^call_[0-9a-f]{24}$/)
    expect(JSON.parse(choice?.arguments ?? '')).toEqual({
      city: expect.any(String) as unknown,
      days: expect.toSatisfy((days) => Number.isInteger(days) && days >= 1 && days <= 7) as unknown,
    })
    expect([choice?.finish, choice?.content]).toEqual([['tool_calls'], ''])
    expect(completionTokens).toBe(encode(choice?.arguments ?? '').length)
  })

  it.each([
    ['none', undefined],
    ['required', 'clock'],
    [{ function: { name: 'getWeather' } }, 'getWeather'],
    ['auto', undefined],
  ] as const)('obey tool_choice %j', async (choice, name) => {
    const { choices } = await complete({ tools: [clock, weather], tool_choice: choice })
    expect(choices[0]?.name).toBe(name)
    if (name === 'clock') expect(choices[0]?.arguments).toBe('{}')
  })

  it('are not called again for their result', async () => {
    const messages = [...question, { role: 'tool', content: 'The weather is fine.' }]
    expect((await complete({ tools: [weather], messages })).choices[0]?.name).toBeUndefined()
  })
})

describe('a response format', () => {
  it('json_object is an object', async () => {
    const { choices } = await complete({ response_format: { type: 'json_object' } })
    expect(JSON.parse(choices[0]?.content ?? '')).toEqual({
      model,
      reply: expect.stringContaining('Hello, trams!') as unknown,
    })
  })

  it('json_schema is a value of the schema, another for each completion', async () => {
    const schema = {
      type: 'object',
      properties: { total: { type: 'number' } },
      required: ['total'],
    }
    const format = { type: 'json_schema', json_schema: { name: 'sum', schema } }
    const { choices } = await complete({ response_format: format }, { n: 2 })
    const totals = choices.map(({ content }) => (JSON.parse(content) as { total: unknown }).total)
    expect(totals).toEqual([expect.any(Number), expect.any(Number)])
    expect(totals[0]).not.toBe(totals[1])
  })

  it.each([
    ['that nothing fits', { type: 'string', minLength: 2, maxLength: 1 }],
    ['that is none', { type: 'nothing' }],
    [
      'that never ends',
      { type: 'string', pattern: '^(a+)+$', minLength: 40, not: { pattern: '^(a+)+$' } },
    ],
    ['at another place', { $ref: 'https://schemas.example/order.json' }],
  ])('rejects a schema %s, and names the field', async (_name, schema) => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    await expect(complete({ response_format: format })).rejects.toMatchObject({
      name: 'LocalBackendError',
      code: 'rejected',
      message: expect.stringMatching(/^response_format\.json_schema\.schema: /) as unknown,
    })
  })
})
