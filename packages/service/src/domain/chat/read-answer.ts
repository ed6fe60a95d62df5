import { createParser } from 'eventsource-parser'
import { boundedChunks, readBounded } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/is-record.js'
import type { UpstreamPost } from '../inference/upstream-post.js'
import type { ChatDelta, ChoiceDelta, FinishReason, TokenUsage } from './chat-backend.js'

type Fault = Pick<UpstreamPost, 'failed'>

const maxBytes = 64 * 1024 * 1024

/**
 * The pieces of an answer: of server-sent events, or of one JSON object for an upstream that does
 * not stream. A stream is complete when each of the `n` choices has a `finish_reason`, with or
 * without `[DONE]`. Throws for any other end, and for an error event.
 */
export async function* readAnswer(
  response: Response,
  n: number,
  post: Fault,
): AsyncGenerator<ChatDelta> {
  const type = response.headers.get('content-type') ?? ''
  if (!/^text\/event-stream/i.test(type)) {
    yield* readWhole(response, post)
    return
  }
  const finished = new Set<number>()
  try {
    for await (const data of readEvents(response, post)) {
      const delta = readEvent(data, post)
      for (const { index, finish_reason } of delta.choices)
        if (typeof finish_reason === 'string') finished.add(index)
      yield delta
    }
  } catch (error) {
    // a complete answer stays complete, whatever comes after it
    if (finished.size < n) throw error
  }
  if (finished.size < n) throw post.failed('ended its answer before it was finished')
}

/** The data of events, until `[DONE]`. */
async function* readEvents({ body }: Response, post: Fault): AsyncGenerator<string> {
  if (!body) return
  const events: string[] = []
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) })
  const decoder = new TextDecoder()
  const take = (text: string) => {
    parser.feed(text)
    return events.splice(0)
  }
  const tooLarge = () => post.failed(`gave more than ${maxBytes} bytes`)
  for await (const bytes of boundedChunks(body, maxBytes, tooLarge)) {
    for (const data of take(decoder.decode(bytes, { stream: true }))) {
      if (data.trim() === '[DONE]') return
      yield data
    }
  }
  // some servers end without the empty line after the last event
  for (const data of take('\n\n')) if (data.trim() !== '[DONE]') yield data
}

function readEvent(data: string, post: Fault): ChatDelta {
  const value = parse(data)
  if (!isRecord(value)) throw post.failed('gave an event that is no JSON object')
  // its text may quote the request
  if (value['error'] !== undefined && value['error'] !== null)
    throw post.failed('gave an error in the middle of its answer')
  return toDelta(value, 'delta')
}

async function* readWhole(response: Response, post: Fault): AsyncGenerator<ChatDelta> {
  const bytes = await readBounded(response.body, maxBytes)
  const value = bytes && parse(new TextDecoder().decode(bytes))
  if (!isRecord(value) || !Array.isArray(value['choices']))
    throw post.failed('answered without a completion')
  yield toDelta(value, 'message')
}

/** The choices and the usage, without what has an unexpected type. */
function toDelta(value: Readonly<Record<string, unknown>>, field: 'delta' | 'message'): ChatDelta {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isRecord) : []
  const usage = toUsage(value['usage'])
  return {
    choices: choices.map((choice): ChoiceDelta => {
      const { index, finish_reason, logprobs } = choice
      const given = choice[field]
      return {
        index: toCount(index) ?? 0,
        delta: toMessage(isRecord(given) ? given : {}),
        finish_reason: toFinishReason(finish_reason),
        ...(isRecord(logprobs) && { logprobs }),
      }
    }),
    ...(usage && { usage }),
  }
}

function toMessage(given: Readonly<Record<string, unknown>>): ChoiceDelta['delta'] {
  const { content, refusal, tool_calls, reasoning } = given
  const { reasoning_content: thoughts = reasoning } = given
  return {
    ...(typeof content === 'string' && { content }),
    ...(typeof refusal === 'string' && refusal !== '' && { refusal }),
    ...(typeof thoughts === 'string' && { reasoning_content: thoughts }),
    ...(Array.isArray(tool_calls) && {
      tool_calls: tool_calls.filter(isRecord).map(toToolCall),
    }),
  }
}

function toToolCall(call: Readonly<Record<string, unknown>>, place: number) {
  const { index, id, function: named } = call
  const { name, arguments: text } = isRecord(named) ? named : {}
  return {
    index: toCount(index) ?? place,
    ...(typeof id === 'string' && id !== '' && { id, type: 'function' as const }),
    function: {
      ...(typeof name === 'string' && name !== '' && { name }),
      ...(typeof text === 'string' && { arguments: text }),
    },
  }
}

const reasons: ReadonlySet<string> = new Set<FinishReason>([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
])

/** Other reasons, such as `eos`, are an end all the same. */
function toFinishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  return reasons.has(value) ? (value as FinishReason) : 'stop'
}

/** Undefined for a usage that cannot be one. */
function toUsage(value: unknown): TokenUsage | undefined {
  if (!isRecord(value)) return undefined
  const promptTokens = toCount(value['prompt_tokens'])
  const completionTokens = toCount(value['completion_tokens'])
  if (promptTokens === undefined || completionTokens === undefined) return undefined
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = value
  const cachedTokens = toCount(isRecord(prompt) ? prompt['cached_tokens'] : undefined) ?? 0
  const reasoningTokens = toCount(isRecord(completion) ? completion['reasoning_tokens'] : undefined)
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(cachedTokens, promptTokens),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
