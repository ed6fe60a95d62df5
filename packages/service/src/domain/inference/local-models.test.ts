import { afterAll, describe, expect, it } from 'vitest'
import { createRecording } from '../../../test/recording.js'
import { createWorkCost } from '../../platform/upstream/work-cost.js'
import type { ChatDelta, ChatTask } from '../chat/chat-backend.js'
import {
  createLocalChat,
  createLocalEmbedding,
  createLocalImage,
  createLocalTranscription,
} from '../local/local-backends.js'
import { countTokens } from '../text/count-tokens.js'

const backends = {
  chat: createLocalChat(),
  embedding: createLocalEmbedding(),
  image: createLocalImage(),
  transcription: createLocalTranscription(),
}
afterAll(async () => {
  await Promise.all(Object.values(backends).map((backend) => backend.close()))
})

const signal = new AbortController().signal
const cost = createWorkCost()

it.each(Object.entries(backends))('%s serves its test model and no other', (name, backend) => {
  expect(backend.serves(`local-test-${name}`)).toBe(true)
  expect(backend.serves('llama-3.3-70b')).toBe(false)
  expect(backend.describe(`local-test-${name}`)).toBe(
    `embedded test model; model=local-test-${name}`,
  )
})

describe('the local chat model', () => {
  const task: ChatTask = {
    model: 'local-test-chat',
    caller: 'a',
    cost,
    request: { messages: [{ role: 'user', content: 'Hello' }] },
    n: 1,
    maxTokens: 100,
  }
  const complete = async (changes: Partial<ChatTask>): Promise<readonly ChatDelta[]> =>
    (await collect(backends.chat.complete({ ...task, ...changes }, signal))).flat()

  it('reports the tokens of prompt and completion, and costs the operator nothing', async () => {
    const deltas = await complete({})
    const text = deltas.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    expect(text).toMatch(/You wrote: Hello$/)
    expect(deltas.at(-1)?.usage).toEqual({
      promptTokens: 8,
      cachedTokens: 0,
      completionTokens: countTokens(text),
    })
    expect(cost.total()).toBe(0n)
  })

  it('responds in time to an unbroken run of characters', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(1_000_000) }] as const
    const deltas = await complete({ request: { messages } })
    expect(deltas.at(-1)?.usage?.completionTokens).toBe(100)
  })

  it('rejects a schema that no value satisfies, as an invalid request', async () => {
    const schema = { type: 'string', minLength: 2, maxLength: 1 }
    const request = {
      ...task.request,
      response_format: { type: 'json_schema', json_schema: { name: 'none', schema } },
    } as const
    await expect(complete({ request })).rejects.toMatchObject({
      name: 'InferenceError',
      code: 'rejected',
    })
  })
})

it('the local embeddings model decodes tokens', async () => {
  const task = { model: 'local-test-embedding', caller: 'a', inputs: ['Hello', [13225]] }
  const { vectors, promptTokens } = await backends.embedding.embed(task, signal)
  expect(vectors[0]).toEqual(vectors[1])
  expect([vectors[0]?.length, promptTokens]).toEqual([256, 2])
})

it('the local image model creates PNG files', async () => {
  const size = { width: 64, height: 64 }
  const task = { model: 'local-test-image', caller: 'a', prompt: 'A tram', n: 2, ...size }
  const images = await backends.image.generate({ ...task, format: 'png', options: {} }, signal)
  expect(images.map(({ bytes }) => Buffer.from(bytes).toString('latin1', 1, 4))).toEqual([
    'PNG',
    'PNG',
  ])
})

it('the local transcription model returns an empty transcript', async () => {
  const task = {
    model: 'local-test-transcription',
    caller: 'a',
    format: 'wav',
    seconds: 1,
  } as const
  const times = { segments: true, words: true }
  const audio = await createRecording(1)
  expect(await backends.transcription.transcribe({ ...task, audio, times }, signal)).toEqual({
    text: '',
    segments: [],
    words: [],
  })
})

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
