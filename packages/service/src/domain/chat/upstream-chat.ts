import { findServing, type UpstreamCall } from '../../platform/upstream/upstream-route.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import {
  InferenceError,
  routeInference,
  type InferenceSources,
  openPost,
  type UpstreamPost,
} from '../inference/inference.js'
import type {
  ChatBackend,
  ChatDelta,
  ChatTask,
  TokenUsage,
  ChoiceDelta,
  FinishReason,
} from './chat-backend.js'
import { boundPrompt, listExtraFields } from './read-chat-order.js'
import { readUsage, toCount } from './read-usage.js'
import { createParser } from 'eventsource-parser'
import { limitChunks, readBounded, readEnd } from '../../platform/bounded-body.js'
import { isRecord } from '../../platform/unknown-value.js'

/**
 * Chat of the upstreams that serve the model, or of the local backend while no upstream of chat is
 * configured. Another upstream is asked only before the first piece.
 */
export function createRoutedChat(
  sources: InferenceSources<ChatBackend, UpstreamChat>,
): ChatBackend {
  const { backend, local, ask } = routeInference(sources)
  const { pool } = sources
  return {
    ...backend,
    extraFields: (model) =>
      local()?.extraFields?.(model) ??
      new Set(findServing(pool.members(), model).flatMap(({ settings }) => settings.extraFields)),
    complete: (task, signal) =>
      local()?.complete(task, signal) ??
      ask({
        task,
        // the completion is known at its end
        work: { inputTokens: boundPrompt(task.request) },
        signal,
        fields: listExtraFields(task.request),
        ask: (client, call) => client.complete(task, call),
        isDelivery: (deltas) => deltas.some(({ choices }) => choices.length > 0),
      }),
  }
}

/** Completions of one upstream with OpenAI's `/chat/completions`. */
type UpstreamChat = {
  readonly complete: (task: ChatTask, call: UpstreamCall) => AsyncIterable<readonly ChatDelta[]>
}

export function openChat(settings: UpstreamSettings, fetch: typeof globalThis.fetch): UpstreamChat {
  const post = openPost(settings, '/chat/completions', fetch)
  return { complete: (task, call) => readAhead(task, call, settings, post) }
}

/**
 * Asks for a stream with its usage, and reads it ahead of the consumer, so that all that was
 * generated is known when the caller leaves. Then it cancels the request, and ends with what it has
 * read.
 */
async function* readAhead(
  task: ChatTask,
  call: UpstreamCall,
  settings: UpstreamSettings,
  post: UpstreamPost,
): AsyncGenerator<readonly ChatDelta[]> {
  const { firstByteMs, idleMs } = settings.timeouts
  if (call.signal.aborted) return
  const stop = new AbortController()
  const abort = () => stop.abort()
  call.signal.addEventListener('abort', abort, { once: true })
  let ready: ChatDelta[] = []
  let late: InferenceError | undefined
  const within = (milliseconds: number) =>
    setTimeout(() => {
      late = post.late(milliseconds)
      stop.abort()
    }, milliseconds)
  let timer = within(firstByteMs)
  let wake = () => undefined as void
  const read = async () => {
    const response = await post.send(toBody(task, settings), { ...call, signal: stop.signal })
    post.report(response, call)
    let usage: TokenUsage | undefined
    let hasBegun = false
    await readResponse(response, task.n, post, (delta) => {
      if (hasBegun) timer.refresh()
      else {
        hasBegun = true
        clearTimeout(timer)
        timer = within(idleMs)
      }
      usage = delta.usage ?? usage
      ready.push(delta)
      wake()
    })
    if (!usage) return
    const { promptTokens: inputTokens, completionTokens: outputTokens } = usage
    post.report(response, call, { model: task.model, inputTokens, outputTokens })
  }
  const end: { isOver: boolean; failure?: unknown } = { isOver: false }
  const reading = read()
    .catch((error: unknown) => (end.failure = error))
    .finally(() => {
      end.isOver = true
      clearTimeout(timer)
      wake()
    })
  try {
    while (!end.isOver || ready.length > 0) {
      const deltas = ready
      ready = []
      if (deltas.length > 0) yield deltas
      await new Promise<void>((resolve) => {
        wake = resolve
        if (end.isOver || ready.length > 0) resolve()
      })
    }
    const { failure } = end
    if (failure === undefined || call.signal.aborted) return
    if (late) throw late
    throw failure instanceof InferenceError ? failure : post.lost(failure)
  } finally {
    call.signal.removeEventListener('abort', abort)
    if (!end.isOver) stop.abort()
    await reading
  }
}

/** The request in OpenAI's names. */
function toBody({ request, model, n, maxTokens }: ChatTask, settings: UpstreamSettings): object {
  const { modelNames, limitField, asksUsage } = settings
  return {
    ...request,
    model: modelNames[model] ?? model,
    [limitField]: maxTokens,
    ...(n > 1 && { n }),
    stream: true,
    ...(asksUsage && { stream_options: { include_usage: true } }),
  }
}

type Fault = Pick<UpstreamPost, 'failed'>

const maxBytes = 64 * 1024 * 1024

/**
 * Takes the pieces of a response: server-sent events, or one JSON object if the upstream does not
 * stream. A stream is complete when each of the `n` choices has a `finish_reason`, with or without
 * `[DONE]`. Throws for any other end, and for an error event.
 */
async function readResponse(
  response: Response,
  n: number,
  post: Fault,
  take: (delta: ChatDelta) => void,
): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  if (!/^text\/event-stream/i.test(type)) {
    take(await readWhole(response, post))
    return
  }
  const finished = new Set<number>()
  try {
    await readEvents(response, post, (data) => {
      const delta = readEvent(data, post)
      for (const { index, finish_reason } of delta.choices)
        if (typeof finish_reason === 'string') finished.add(index)
      take(delta)
    })
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

function readEvent(data: string, post: Fault): ChatDelta {
  const value = parse(data)
  if (!isRecord(value)) throw post.failed('sent an event that is not a JSON object')
  // its text may quote the request
  if (value['error'] !== undefined && value['error'] !== null)
    throw post.failed('sent an error in the middle of its response')
  return toDelta(value, 'delta')
}

async function readWhole(response: Response, post: Fault): Promise<ChatDelta> {
  const bytes = await readBounded(response.body, maxBytes)
  const value = bytes && parse(new TextDecoder().decode(bytes))
  const delta = toDelta(isRecord(value) ? value : {}, 'message')
  if (delta.choices.length === 0) throw post.failed('responded without a completion')
  return delta
}

/** The choices and the usage, without what has an unexpected type. */
function toDelta(value: Readonly<Record<string, unknown>>, field: 'delta' | 'message'): ChatDelta {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isRecord) : []
  const usage = readUsage(value['usage'])
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

/** Other reasons, such as `eos`, mean an ordinary end. */
function toFinishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  return reasons.has(value) ? (value as FinishReason) : 'stop'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
