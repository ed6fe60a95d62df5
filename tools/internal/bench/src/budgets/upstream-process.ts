// A mock upstream of chat in a process of its own. The prompt of a request is its script.
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startListening } from '@farebox/testing/start-listening'
import type { Script } from './script.js'

/** What the upstream did for one call. */
export type UpstreamRecord = {
  readonly id: string
  /** Pieces that it gave before its connection closed. */
  written: number
}

export type UpstreamMessage =
  | { readonly url: string }
  /** It has given all pieces of a call and waits. */
  | { readonly stalled: UpstreamRecord }
  | { readonly given: readonly UpstreamRecord[] }

/** One token of the service's tokenizer, wherever it stands. */
export const piece = ' the'

const given = new Map<string, UpstreamRecord>()
const send = (message: UpstreamMessage) => process.send?.(message)

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  response.on('error', () => undefined)
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => void play(JSON.parse(Buffer.concat(chunks).toString()), response))
})
send({ url: `${await startListening(server)}/v1` })
process.on('message', () => send({ given: [...given.values()] }))

type ChatRequest = {
  readonly max_tokens: number
  readonly messages: readonly { readonly content: string }[]
}

async function play({ max_tokens: limit, messages }: ChatRequest, response: ServerResponse) {
  const script = JSON.parse(messages[0]?.content ?? '') as Script
  const { id, paceMs, end, usage, promptTokens } = script
  const pieces = Math.min(script.pieces, limit)
  const record = { id, written: 0 }
  given.set(id, record)
  if (end === 'status 500') {
    response.writeHead(500).end('{}')
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const counted = () => ({ prompt_tokens: promptTokens, completion_tokens: record.written })
  const say = (value: object) =>
    new Promise((resolve) => response.write(`data: ${JSON.stringify(value)}\n\n`, resolve))
  const choice = (delta: object, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason }],
    ...(usage === 'in each event' && { usage: counted() }),
  })
  while (record.written < pieces) {
    await sleep(paceMs)
    if (response.closed || response.destroyed) return
    record.written++
    await say(choice({ content: piece }, null))
  }
  if (end === 'stalls') {
    send({ stalled: record })
    return
  }
  if (end === 'broken connection') {
    response.destroy()
    return
  }
  if (end === 'error event') await say({ error: { message: 'The model crashed.' } })
  if (end === 'complete' || end === 'without [DONE]') {
    await say(choice({}, script.pieces > limit ? 'length' : 'stop'))
    if (usage === 'at the end') await say({ choices: [], usage: counted() })
  }
  response.end(end === 'complete' ? 'data: [DONE]\n\n' : '')
}
