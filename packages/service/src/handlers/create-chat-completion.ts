import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatStreamError,
  ChatUsage,
} from '@farebox/types'
import type { Failure } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'
import type { ChatDelta, ChatTask, TokenUsage } from '../domain/chat/chat-backend.js'
import {
  createChatMeter,
  type ChatMeter,
  type MeteredChoice,
  findAffordableLimit,
} from '../domain/chat/chat-meter.js'
import { toUsd, type MicroUsd } from '../domain/ledger/money.js'
import { priceTokens } from '../domain/models/text-models.js'

/**
 * Continues a conversation, streamed or not. The backend streams in both cases, so that a client
 * that disconnects pays for what was generated until then.
 */
export const createChatCompletion: Handler<'createChatCompletion'> = async (context) => {
  const { input, order, callerId, cost, services, signal, requestId } = context
  const { chat, shown } = services
  const { model, n, countPrompt: promptTokens } = order
  const meter = createChatMeter({ n, promptTokens })
  let host: string | undefined
  const task: ChatTask = {
    model: model.id,
    caller: callerId,
    request: order.request,
    n,
    maxTokens: findAffordableLimit(order, context.held()),
    onServed: (call) => (host = call.host),
    cost,
  }
  const head = {
    id: `chatcmpl-${requestId.replace(/^req_/, '')}`,
    created: Math.floor(services.now() / 1000),
    model: model.id,
  }
  const owed = (): MicroUsd => (meter.isFree() ? 0n : priceTokens(model, meter.usage()))
  /** No more than what is held is charged. */
  const charged = (): MicroUsd => (owed() < context.held() ? owed() : context.held())
  const usage = () => toUsage(meter.usage(), charged())
  const common = {
    status: 200,
    headers: () => ({ 'x-farebox-backend': shown(chat.describe(model.id, host)) }),
    modelId: model.id,
    owed,
    isWhole: meter.isComplete,
    usedTokens: () => {
      const { promptTokens: prompt, completionTokens } = meter.usage()
      // an upstream that states more than was possible does not lock its caller out
      return Math.min(prompt + completionTokens, order.promptBound + order.limit * n)
    },
  } as const
  const generated = countPieces(chat.complete(task, signal), meter)
  if (input.stream !== true) {
    await readAll(generated)
    return { ...common, json: toCompletion(head, meter, usage()) }
  }
  return {
    ...common,
    contentType: 'text/event-stream',
    stream: toEvents(generated, head, input.stream_options?.include_usage === true && usage),
    // an event with `choices` as well would be an ordinary chunk to the AI SDK
    closingEvent: (failure) => encoder.encode(toEvent({ error: toError(failure) })),
  }
}

async function readAll(parts: AsyncIterable<unknown>): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]()
  for (let isOver = false; !isOver;) isOver = (await iterator.next()).done === true
}

type Head = Pick<ChatCompletion, 'id' | 'created' | 'model'>

/** Counts every piece, including those after the consumer has left. */
async function* countPieces(
  pieces: AsyncIterable<readonly ChatDelta[]>,
  meter: ChatMeter,
): AsyncGenerator<readonly ChatDelta[]> {
  const iterator = pieces[Symbol.asyncIterator]()
  /** Undefined at the end. */
  const next = async (): Promise<readonly ChatDelta[] | undefined> => {
    const { done: isOver, value } = await iterator.next()
    if (isOver === true) return undefined
    value.forEach(meter.add)
    return value
  }
  try {
    for (let deltas = await next(); deltas; deltas = await next()) yield deltas
  } finally {
    // after its end there is nothing more; after an abort it ends with the pieces so far
    for (let rest = true; rest;)
      rest = await next().then(
        (deltas) => deltas !== undefined,
        () => false,
      )
  }
}

/** Those that arrived together are sent together. */
async function* toEvents(
  pieces: AsyncIterable<readonly ChatDelta[]>,
  head: Head,
  usage: (() => ChatUsage) | false,
): AsyncGenerator<Uint8Array> {
  const base = { ...toChunk(head), ...(usage && { usage: null }) }
  const begun = new Set<number>()
  const toChoices = ({ choices }: ChatDelta) =>
    choices.map(({ index, delta, finish_reason = null, logprobs }) => {
      const isFirst = !begun.has(index)
      begun.add(index)
      return {
        index,
        delta: { ...(isFirst && { role: 'assistant' as const }), ...copyDelta(delta) },
        finish_reason,
        ...(logprobs !== undefined && { logprobs: logprobs as object }),
      }
    })
  for await (const deltas of pieces) {
    const events = deltas
      .map(toChoices)
      .filter((choices) => choices.length > 0)
      .map((choices) => toEvent({ ...base, choices }))
    if (events.length > 0) yield encoder.encode(events.join(''))
  }
  yield encoder.encode(`${usage ? toEvent({ ...base, choices: [], usage: usage() }) : ''}${done}`)
}

function copyDelta({
  tool_calls: calls,
  role: _role,
  ...delta
}: ChatDelta['choices'][number]['delta']) {
  return { ...delta, ...(calls && { tool_calls: [...calls] }) }
}

const encoder = new TextEncoder()
const done = 'data: [DONE]\n\n'

function toEvent(event: ChatCompletionChunk | ChatStreamError): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

function toChunk(head: Head) {
  return { ...head, object: 'chat.completion.chunk' as const }
}

function toError(failure: Failure | undefined) {
  const { error, code } = failure?.json ?? {}
  return {
    message: typeof error === 'string' ? error : 'An unknown error occurred.',
    code: typeof code === 'string' ? code : 'UNKNOWN_ERROR',
  }
}

function toCompletion(head: Head, meter: ChatMeter, usage: ChatUsage): ChatCompletion {
  return {
    ...head,
    object: 'chat.completion',
    choices: meter.choices().map(toChoice),
    usage,
  }
}

function toChoice(choice: MeteredChoice): ChatCompletion['choices'][number] {
  const { index, content, refusal, reasoning, calls, logprobs, finishReason = 'stop' } = choice
  const { content: tokens = [], refusal: rejected = [] } = logprobs ?? {}
  return {
    index,
    message: {
      role: 'assistant',
      content: content === '' && (calls.size > 0 || refusal !== '') ? null : content,
      refusal: refusal === '' ? null : refusal,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.size > 0 && {
        tool_calls: [...calls.values()].map(({ id, ...named }) => ({
          id,
          type: 'function' as const,
          function: named,
        })),
      }),
    },
    finish_reason: finishReason,
    logprobs: logprobs
      ? ({
          content: tokens.length > 0 ? tokens : null,
          refusal: rejected.length > 0 ? rejected : null,
        } as ChatCompletion['choices'][number]['logprobs'])
      : null,
  }
}

function toUsage(usage: TokenUsage, charged: MicroUsd): ChatUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
    cost_usd: toUsd(charged),
  }
}
