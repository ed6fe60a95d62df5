import { expect, it } from 'vitest'
import { readStart, withBody } from './response.js'

const toBytes = (text: string) => new TextEncoder().encode(text)

/** A body of these chunks that then ends or breaks. */
function createChunkedResponse(chunks: readonly Uint8Array[], end: 'close' | 'break' = 'close') {
  const left = [...chunks]
  const state = { pulls: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        state.pulls++
        const chunk = left.shift()
        if (chunk) controller.enqueue(chunk)
        else if (end === 'close') controller.close()
        else controller.error(new TypeError('terminated'))
      },
      cancel: () => void (state.cancelled = true),
    },
    { highWaterMark: 0 },
  )
  return { state, response: new Response(body, { status: 429, headers: { 'x-name': 'value' } }) }
}

/** The same response with its whole body. */
async function readWhole(response: Response, maxBytes: number) {
  const { text, chunks, reader } = await readStart(response, maxBytes)
  const unread = [...chunks]
  const read = async () => {
    const value = unread.shift()
    return value
      ? { done: false as const, value }
      : await (reader?.read() ?? { done: true as const, value: undefined })
  }
  return {
    text,
    again: withBody(response, { read, cancel: async (reason) => reader?.cancel(reason) }),
  }
}

it('reads up to the chunk that reaches the limit, and the rest can still be read', async () => {
  const { state, response } = createChunkedResponse([
    toBytes('one '),
    toBytes('two '),
    toBytes('three'),
  ])
  const { text, again } = await readWhole(response, 6)
  expect([text, state.pulls]).toEqual(['one two ', 2])
  expect([await again.text(), again.status, again.headers.get('x-name')]).toEqual([
    'one two three',
    429,
    'value',
  ])
})

it('decodes a character that is split over two chunks', async () => {
  const [first = 0, second = 0] = toBytes('ü')
  const { response } = createChunkedResponse([Uint8Array.of(first), Uint8Array.of(second)])
  expect((await readStart(response, 100)).text).toBe('ü')
})

it('keeps what arrived before the connection broke, and the next read gets the error', async () => {
  const { response } = createChunkedResponse([toBytes('half')], 'break')
  const { text, again } = await readWhole(response, 100)
  expect(text).toBe('half')
  await expect(again.text()).rejects.toThrow('terminated')
})

it('has no reader without a body', async () => {
  expect(await readStart(new Response(null), 100)).toEqual({
    text: '',
    chunks: [],
    reader: undefined,
  })
})

it('cancels the original with the new body', async () => {
  const { state, response } = createChunkedResponse([toBytes('one'), toBytes('two')])
  const { again } = await readWhole(response, 1)
  await again.body?.cancel()
  expect(state.cancelled).toBe(true)
})
