import type { ServerResponse } from 'node:http'
import { sleep } from '../src/platform/time.js'

type Usage = { readonly prompt: number; readonly completion: number; readonly cached?: number }

/** How a scripted completion is streamed. */
export type Completion = {
  readonly pieces?: readonly string[]
  readonly finish?: string | null
  /** On a chunk of its own at the end, or not at all. */
  readonly usage?: Usage
  readonly n?: number
  /** Deltas in place of the pieces. */
  readonly deltas?: readonly object[]
  /** What comes after the last chunk. */
  readonly ending?: 'done' | 'end' | 'reset' | 'error' | 'stall' | 'unterminated'
  /** Waits for each piece. */
  readonly gate?: (piece: number) => Promise<void>
}

const eventStream = { 'content-type': 'text/event-stream' }

/** Streams a completion as servers with OpenAI's protocol do. */
export async function streamCompletion(
  response: ServerResponse,
  { pieces = ['Hello', ', ', 'world.'], finish = 'stop', usage, n = 1, ...given }: Completion,
): Promise<void> {
  const { ending = 'done', gate, deltas = pieces.map((content) => ({ content })) } = given
  const send = (value: object) =>
    response.write(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', ...value })}\n\n`,
    )
  response.writeHead(200, eventStream)
  response.flushHeaders()
  for (const [place, delta] of deltas.entries()) {
    await gate?.(place)
    for (let index = 0; index < n; index++)
      send({ choices: [{ index, delta, finish_reason: null }] })
  }
  await gate?.(deltas.length)
  if (finish !== null)
    for (let index = 0; index < n; index++)
      send({ choices: [{ index, delta: {}, finish_reason: finish }] })
  if (usage)
    send({
      choices: [],
      usage: {
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        total_tokens: usage.prompt + usage.completion,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
      },
    })
  if (ending === 'stall') return
  if (ending === 'done') response.end('data: [DONE]\n\n')
  else if (ending === 'error')
    response.end(`data: ${JSON.stringify({ error: { message: 'out of memory' } })}\n\n`)
  else if (ending === 'unterminated') response.end('data: [DONE]')
  else if (ending === 'end') response.end()
  else {
    await sleep(1, new AbortController().signal)
    response.destroy()
  }
}

/** The chunks of a streamed response. */
export function readChunks(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice(6)) as Record<string, unknown>)
}

/** The text that the chunks of a streamed response have. */
export function readContent(text: string): string {
  return readChunks(text)
    .flatMap((chunk) => (chunk['choices'] ?? []) as { delta: { content?: string } }[])
    .map(({ delta }) => delta.content ?? '')
    .join('')
}
