import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withDefaults } from '../../platform/upstream/upstream-settings.js'
import { openChat } from './upstream-chat.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const pieceOfText = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Tram' } }] })}\n\n`
const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`
const comment = ': OPENROUTER PROCESSING\n\n'

/** What an upstream completes whose pieces each take 20 s, with the default timeouts of 30 s. */
async function complete(pieces: readonly string[]): Promise<string> {
  const left = [...pieces]
  const { complete: ask } = openChat(
    withDefaults({ name: 'one', capability: 'chat', url: 'https://chat.example/v1' }),
    async (_input, init) => {
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
        await vi.advanceTimersByTimeAsync(20_000)
        const piece = left.shift()
        if (init?.signal?.aborted === true) controller.error(init.signal.reason)
        else if (piece === undefined) controller.close()
        else if (piece !== '') controller.enqueue(new TextEncoder().encode(piece))
        else await pull(controller)
      }
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  )
  const task = {
    model: 'm',
    caller: 'c',
    request: { messages: [] },
    n: 1,
    maxTokens: 10,
  }
  const call = { signal: new AbortController().signal, onServed: () => undefined }
  let text = ''
  for await (const deltas of ask(task, call))
    for (const { choices } of deltas) text += choices[0]?.delta.content ?? ''
  return text
}

it('waits for a completion as long as comments say that it is at work', async () =>
  expect(await complete([comment, comment, comment, pieceOfText, comment, comment, end])).toBe(
    'Tram',
  ))

it.each([
  ['before the first byte', ['', pieceOfText, end]],
  ['after it', [pieceOfText, '', end]],
])('gives up an upstream that says nothing for too long, %s', (_when, pieces) =>
  expect(complete(pieces)).rejects.toMatchObject({ code: 'timeout' }),
)
