import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import { priceTokens, type TextModel } from '../models/text-models.js'
import { countTokens } from '../text/count-tokens.js'
import type { ChatDelta, ChoiceDelta, FinishReason, TokenUsage } from './chat-backend.js'
import type { ChatOrder } from './read-chat-order.js'

/** Without a limit of the caller, a completion of fewer tokens would be useless. */
const minTokens = 16

/**
 * The maximum price of a request, and the minimum for which it can be done: a limit of the caller
 * is not lowered.
 */
export function quoteChat(order: ChatOrder) {
  const { limit, isLimitGiven, n, promptBound, model } = order
  const most = priceLimit(order, limit)
  const least = isLimitGiven ? most : priceLimit(order, Math.min(limit, minTokens))
  return { most, least, tokens: { tier: model.tier, tokens: estimate(promptBound) + limit * n } }
}

/** A prompt has roughly three bytes per token. The exact number is counted at the end. */
function estimate(promptBound: number): number {
  return Math.ceil(promptBound / 3)
}

/** Tokens of one completion at most, such that the request costs no more than is held. */
export function findAffordableLimit(order: ChatOrder, held: MicroUsd): number {
  const { limit, isLimitGiven, n, promptBound, model } = order
  const perToken = toMicroUsd(model.usdPerMillionOutputTokens) * BigInt(n)
  if (isLimitGiven || perToken === 0n) return limit
  const left = held * 1_000_000n - BigInt(promptBound) * findHighestInputPrice(model)
  const affordable = left / perToken
  return affordable < BigInt(limit) ? Math.max(1, Number(affordable)) : limit
}

function priceLimit({ model, promptBound, n }: ChatOrder, limit: number): MicroUsd {
  const usual = { promptTokens: promptBound, completionTokens: limit * n }
  const fresh = priceTokens(model, { ...usual, cachedTokens: 0 })
  const cached = priceTokens(model, { ...usual, cachedTokens: promptBound })
  return fresh > cached ? fresh : cached
}

function findHighestInputPrice(model: TextModel): bigint {
  const fresh = toMicroUsd(model.usdPerMillionInputTokens)
  const cached = toMicroUsd(model.usdPerMillionCachedInputTokens)
  return fresh > cached ? fresh : cached
}

/** A completion as far as it was generated. */
export type MeteredChoice = {
  readonly index: number
  content: string
  refusal: string
  reasoning: string
  readonly calls: Map<number, { id: string; name: string; arguments: string }>
  logprobs: { content: unknown[]; refusal: unknown[] } | undefined
  finishReason: FinishReason | undefined
}

/** Counts what a backend has generated for one request. */
export type ChatMeter = {
  readonly add: (delta: ChatDelta) => void
  /** By index. */
  readonly choices: () => readonly MeteredChoice[]
  /**
   * What the backend reported, if it did. Else, and for a completion that was cut off, what our
   * tokenizer counts of the text.
   */
  readonly usage: () => TokenUsage
  /** Whether every completion has ended. */
  readonly isComplete: () => boolean
  /**
   * Whether the caller owes nothing: no completion has content or a tool call, or all are refusals.
   * For a truncated response: whether nothing was generated.
   */
  readonly isFree: () => boolean
}

type ChatMeterOptions = {
  /** Choices that were asked for. */
  readonly n: number
  /** The tokens of the prompt by our tokenizer. */
  readonly promptTokens: () => number
}

export function createChatMeter({ n, promptTokens }: ChatMeterOptions): ChatMeter {
  const choices = new Map<number, MeteredChoice>()
  let reported: TokenUsage | undefined
  let counted: TokenUsage | undefined
  const isComplete = () =>
    choices.size >= n && [...choices.values()].every((one) => one.finishReason !== undefined)

  const usage = (): TokenUsage => {
    if (reported && isComplete()) return reported
    counted ??= {
      promptTokens: reported?.promptTokens ?? promptTokens(),
      cachedTokens: reported?.cachedTokens ?? 0,
      completionTokens: Math.max(
        reported?.completionTokens ?? 0,
        [...choices.values()].reduce((sum, choice) => sum + countChoice(choice), 0),
      ),
    }
    return counted
  }
  return {
    add: ({ choices: pieces, usage: report }) => {
      counted = undefined
      reported = report ?? reported
      for (const piece of pieces) {
        const choice = choices.get(piece.index) ?? createChoice(piece.index)
        choices.set(piece.index, choice)
        addPiece(choice, piece)
      }
    },
    choices: () => [...choices.values()].toSorted((one, other) => one.index - other.index),
    usage,
    isComplete,
    isFree: () =>
      isComplete()
        ? [...choices.values()].every(
            ({ content, refusal, calls }) => refusal !== '' || (content === '' && calls.size === 0),
          )
        : usage().completionTokens === 0,
  }
}

function createChoice(index: number): MeteredChoice {
  return {
    index,
    content: '',
    refusal: '',
    reasoning: '',
    calls: new Map(),
    logprobs: undefined,
    finishReason: undefined,
  }
}

function addPiece(choice: MeteredChoice, { delta, finish_reason, logprobs }: ChoiceDelta): void {
  choice.content += delta.content ?? ''
  choice.refusal += delta.refusal ?? ''
  choice.reasoning += delta.reasoning_content ?? ''
  for (const { index, id, function: functionCall } of delta.tool_calls ?? []) {
    const call = choice.calls.get(index) ?? { id: '', name: '', arguments: '' }
    choice.calls.set(index, call)
    if (id !== undefined) call.id = id
    call.name += functionCall?.name ?? ''
    call.arguments += functionCall?.arguments ?? ''
  }
  if (typeof logprobs === 'object' && logprobs !== null) {
    const { content, refusal } = logprobs as Readonly<Record<string, unknown>>
    choice.logprobs ??= { content: [], refusal: [] }
    if (Array.isArray(content)) choice.logprobs.content.push(...(content as unknown[]))
    if (Array.isArray(refusal)) choice.logprobs.refusal.push(...(refusal as unknown[]))
  }
  if (finish_reason !== undefined && finish_reason !== null) choice.finishReason = finish_reason
}

function countChoice({ content, refusal, reasoning, calls }: MeteredChoice): number {
  const texts = [content, refusal, reasoning]
  for (const call of calls.values()) texts.push(call.name, call.arguments)
  return texts.reduce((sum, text) => sum + (text === '' ? 0 : countTokens(text)), 0)
}
