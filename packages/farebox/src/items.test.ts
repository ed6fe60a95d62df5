import { describe, expect, it } from 'vitest'
import { createFarebox } from './farebox.js'
import type { FareboxOptions } from './options.js'
import { validation } from './validation.js'

const events = { 'content-type': 'text/event-stream', 'x-request-id': 'req-1' }
const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const createChunk = (content: string, reason: string | null = null, index = 0) => ({
  ...head,
  choices: [{ index, delta: { content }, finish_reason: reason }],
})
const toEvent = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const question = {
  model: 'm',
  messages: [{ role: 'user' as const, content: 'Hello' }],
  stream: true as const,
}

type End = (controller: ReadableStreamDefaultController<Uint8Array>) => void

/** An SDK whose service sends these parts, and then ends so. */
function createStreaming(
  parts: readonly string[],
  end: End = (controller) => controller.close(),
  options: Partial<FareboxOptions> = {},
) {
  const state = { pulled: 0, cancelled: false }
  const body = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const part = parts[state.pulled++]
          if (part === undefined) end(controller)
          else controller.enqueue(new TextEncoder().encode(part))
        },
        cancel: () => void (state.cancelled = true),
      },
      { highWaterMark: 0 },
    )
  const farebox = createFarebox({
    baseUrl: 'https://api.example.test/api/v1',
    apiKey: 'key-secret',
    fetch: async () => new Response(body(), { headers: events }),
    ...options,
  })
  return { farebox, state }
}

async function readAll(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a streamed completion', () => {
  it('yields the data of each event as it arrives', async () => {
    const { farebox, state } = createStreaming([
      toEvent(createChunk('a')),
      toEvent(createChunk('b', 'stop')),
      'data: [DONE]\n\n',
    ])
    const chunks = await farebox.createChatCompletion(question)
    expect((await chunks.next()).value).toEqual(createChunk('a'))
    expect(state.pulled).toBe(1)
    expect(await readAll(chunks)).toEqual([createChunk('b', 'stop')])
  })

  it.each([
    ['its only choice', [createChunk('a')]],
    ['one of its choices', [createChunk('a'), createChunk('b', null, 1), createChunk('', 'stop')]],
  ])('ends with a FareboxError if the response ends within %s', async (_name, sent) => {
    const { farebox } = createStreaming(sent.map(toEvent))
    const chunks = await farebox.createChatCompletion(question)
    for (const chunk of sent) expect((await chunks.next()).value).toEqual(chunk)
    await expect(chunks.next()).rejects.toMatchObject({
      code: 'unexpected_response',
      message: 'createChatCompletion: the response 200 ended before the completion was finished',
      requestId: 'req-1',
      mayHaveArrived: true,
    })
    expect((await chunks.next()).done).toBe(true)
  })

  it('cancels the response when its reader stops', async () => {
    const { farebox, state } = createStreaming([
      toEvent(createChunk('a')),
      toEvent(createChunk('b')),
    ])
    for await (const item of await farebox.createChatCompletion(question)) {
      expect(item).toEqual(createChunk('a'))
      break
    }
    expect(state).toEqual({ pulled: 1, cancelled: true })
  })

  it('exposes the metadata of its response', async () => {
    const { farebox } = createStreaming(['data: [DONE]\n\n'])
    const { status, requestId, data } = await farebox.createChatCompletion(question).withResponse()
    expect([status, requestId, await readAll(data)]).toEqual([200, 'req-1', []])
  })

  it.each([
    [
      'a fault of the service',
      toEvent({ ...head, choices: [], error: { message: 'Upstream lost.', code: 'UPSTREAM' } }),
      { code: 'UPSTREAM', message: 'createChatCompletion: Upstream lost.' },
    ],
    [
      'a fault without a chunk',
      toEvent({ error: { message: 'Upstream lost.', code: 'UPSTREAM' } }),
      { code: 'UPSTREAM', message: 'createChatCompletion: Upstream lost.' },
    ],
    [
      'a fault that is a text',
      toEvent({ error: 'Upstream lost.', code: 'UPSTREAM' }),
      { code: 'UPSTREAM', message: 'createChatCompletion: Upstream lost.' },
    ],
    [
      'a fault that says nothing',
      toEvent({ error: {} }),
      { code: 'failed', message: 'createChatCompletion: The service failed during the stream.' },
    ],
    [
      'an event that is not JSON',
      'data: {"id":\n\n',
      { code: 'unexpected_response', mayHaveArrived: true },
    ],
  ])('ends with a FareboxError for %s', async (_name, event, fault) => {
    const { farebox, state } = createStreaming([
      toEvent(createChunk('a')),
      event,
      toEvent(createChunk('b')),
    ])
    const chunks = await farebox.createChatCompletion(question)
    expect((await chunks.next()).value).toEqual(createChunk('a'))
    await expect(chunks.next()).rejects.toMatchObject({
      name: 'FareboxError',
      operation: 'createChatCompletion',
      ...fault,
    })
    expect(state.cancelled).toBe(true)
    expect((await chunks.next()).done).toBe(true)
  })

  it('ends with a FareboxError when the connection breaks, or the caller aborts', async () => {
    const lost: End = (controller) => controller.error(new TypeError('key-secret was lost'))
    const broken = await createStreaming([], lost).farebox.createChatCompletion(question)
    const error = await broken.next().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'FareboxError', code: 'unexpected_response' })
    expect((error as Error).message).not.toContain('key-secret')

    const caller = new AbortController()
    const { farebox } = createStreaming([toEvent(createChunk('a'))], () => undefined)
    const { signal } = caller
    const chunks = await farebox.createChatCompletion(question, { signal })
    await chunks.next()
    const next = chunks.next()
    caller.abort()
    await expect(next).rejects.toMatchObject({ name: 'FareboxError', code: 'aborted' })
  })

  it('is a FareboxError if the service sends a whole completion', async () => {
    const farebox = createFarebox({
      baseUrl: 'https://api.example.test/api/v1',
      apiKey: 'key-1',
      fetch: async () => Response.json({ ...head, object: 'chat.completion', choices: [] }),
    })
    await expect(farebox.createChatCompletion(question)).rejects.toMatchObject({
      name: 'FareboxError',
      code: 'unexpected_response',
      message:
        'createChatCompletion: the response 200 is whole, and not the stream that was asked for',
      mayHaveArrived: true,
    })
  })

  it('validates each event', async () => {
    const events = [toEvent(createChunk('a')), toEvent({ ...head, choices: 'none' })]
    const { farebox } = createStreaming(events, undefined, { validation: validation() })
    const chunks = await farebox.createChatCompletion(question)
    expect((await chunks.next()).value).toEqual(createChunk('a'))
    await expect(chunks.next()).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it('reports the reason of an error event, with validation too', async () => {
    const events = [toEvent({ error: { message: 'Upstream lost.', code: 'UPSTREAM' } })]
    const { farebox } = createStreaming(events, undefined, { validation: validation() })
    const chunks = await farebox.createChatCompletion(question)
    await expect(chunks.next()).rejects.toMatchObject({ code: 'UPSTREAM' })
  })
})
