import { createParser } from 'eventsource-parser'
import { limitChunks, readBounded, readEnd } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'
import type { UpstreamPost } from '../inference/upstream-post.js'
import type { ChatDelta } from './chat-backend.js'
import { hasContent, isFault, toDelta } from './chat-delta.js'
import { createToolCallReader } from './tool-calls.js'

type Fault = Pick<UpstreamPost, 'failed' | 'reject'>

const maxBytes = 64 * 1024 * 1024

/**
 * Takes the pieces of a response: server-sent events, or one JSON object if the upstream does not
 * stream. A stream is complete when each of the `n` choices has a `finish_reason`, with or without
 * `[DONE]`. Throws for any other end, and for an error. `listen` is called whenever bytes of a stream
 * arrive, also those of a comment that only says that the work goes on.
 */
export async function readResponse(
  response: Response,
  n: number,
  post: Fault,
  take: (delta: ChatDelta) => void,
  listen: () => void,
): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  if (!/^text\/event-stream/i.test(type)) {
    const text = await readText(response, post)
    if (!isEventText.test(text)) return take(readWhole(text, post))
    return readResponse(new Response(text, { headers: eventStream }), n, post, take, listen)
  }
  const finished = new Set<number>()
  const toolCalls = createToolCallReader()
  let hasBegun = false
  try {
    const takeEvent = (data: string) => {
      const delta = toDelta(readEvent(data, hasBegun, post), 'delta', toolCalls)
      hasBegun ||= hasContent(delta)
      for (const { index, finish_reason } of delta.choices)
        if (typeof finish_reason === 'string') finished.add(index)
      take(delta)
    }
    await readEvents(response, post, takeEvent, listen)
  } catch (error) {
    // a complete response stays complete, whatever follows it
    if (finished.size < n) throw error
  }
  if (finished.size < n) throw post.failed('ended its response early')
}

/** Takes the data of events, until `[DONE]`. */
async function readEvents(
  { body }: Response,
  post: Fault,
  take: (data: string) => void,
  listen: () => void,
): Promise<void> {
  if (!body) return
  let isDone = false
  const parser = createParser({
    onEvent: ({ data }) => {
      isDone ||= data.trim() === '[DONE]'
      if (!isDone) take(data)
    },
  })
  const decoder = new TextDecoder()
  const tooLarge = () => post.failed(`gave more than ${maxBytes} bytes`)
  const chunks = limitChunks(body.values({ preventCancel: true }), maxBytes, tooLarge)
  try {
    for await (const bytes of chunks) {
      listen()
      parser.feed(decoder.decode(bytes, { stream: true }))
      if (isDone) break
    }
    // some servers end without the empty line after the last event
    if (!isDone) parser.feed('\n\n')
  } catch (error) {
    await body.cancel().catch(() => undefined)
    throw error
  }
  if (isDone) void readEnd(body)
}

function readEvent(
  data: string,
  hasBegun: boolean,
  post: Fault,
): Readonly<Record<string, unknown>> {
  const value = parse(data)
  if (!isRecord(value)) throw post.failed('sent an event that is not a JSON object')
  const error = findError(value)
  if (error === undefined) return value
  throw hasBegun ? post.failed('sent an error in the middle of its response') : post.reject(error)
}

const eventStream = { 'content-type': 'text/event-stream' }
/** How events begin. Some servers or proxies send them under another media type, or under none. */
const isEventText = /^\s*(?:data|event|id|retry)?:/

async function readText(response: Response, post: Fault): Promise<string> {
  const bytes = await readBounded(response.body, maxBytes)
  if (!bytes) throw post.failed(`gave more than ${maxBytes} bytes`)
  return new TextDecoder().decode(bytes)
}

function readWhole(text: string, post: Fault): ChatDelta {
  const value = parse(text)
  const error = isRecord(value) ? findError(value) : undefined
  if (error !== undefined) throw post.reject(error)
  const delta = toDelta(isRecord(value) ? value : {}, 'message', createToolCallReader())
  if (delta.choices.length === 0) throw post.failed('responded without a completion')
  return delta
}

/** The error of a response or of one of its choices. Undefined if there is none. */
function findError({ error, choices }: Readonly<Record<string, unknown>>): unknown {
  const all = Array.isArray(choices) ? choices.filter(isRecord) : []
  const failed = all.find((choice) => isFault(choice['finish_reason']))
  return [error, ...all.map((choice) => choice['error']), failed].find(
    (one) => one !== undefined && one !== null,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
