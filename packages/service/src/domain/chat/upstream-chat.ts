import { findServing, type UpstreamCall } from '../../platform/upstream/upstream-route.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { InferenceError, routeInference, type InferenceSources } from '../inference/inference.js'
import { openPost, type UpstreamPost } from '../inference/upstream-post.js'
import type { ChatBackend, ChatDelta, ChatTask, TokenUsage } from './chat-backend.js'
import { hasContent } from './chat-delta.js'
import { boundPrompt, listExtraFields } from './read-chat-order.js'
import { readResponse } from './read-chat-response.js'

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
        isDelivery: (deltas) => deltas.some(hasContent),
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
    const take = (delta: ChatDelta) => {
      usage = delta.usage ?? usage
      ready.push(delta)
      wake()
    }
    let hasBegun = false
    await readResponse(response, task.n, post, take, () => {
      if (hasBegun) timer.refresh()
      else {
        hasBegun = true
        clearTimeout(timer)
        timer = within(idleMs)
      }
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
