import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import { textPrice, type TextModel } from '../models/text-models.js'
import type { ChatOrder } from './read-chat-order.js'

/** A completion of fewer tokens is of no use, where the caller asked for no limit. */
const leastTokens = 16

/**
 * The most that a request can cost, and the least that it can be done for: the caller's own limit
 * is not lowered.
 */
export function quoteChat(order: ChatOrder) {
  const { limit, isLimitGiven, n, promptBound, model } = order
  const most = priceOfLimit(order, limit)
  const least = isLimitGiven ? most : priceOfLimit(order, Math.min(limit, leastTokens))
  return { most, least, tokens: { tier: model.tier, tokens: estimate(promptBound) + limit * n } }
}

/** A prompt has three bytes for a token, roughly. What it has is counted at the end. */
function estimate(promptBound: number): number {
  return Math.ceil(promptBound / 3)
}

/** Tokens of one completion at most, such that the request costs no more than is held. */
export function affordableLimit(order: ChatOrder, held: MicroUsd): number {
  const { limit, isLimitGiven, n, promptBound, model } = order
  const perToken = toMicroUsd(model.usdPerMillionOutputTokens) * BigInt(n)
  if (isLimitGiven || perToken === 0n) return limit
  const left = held * 1_000_000n - BigInt(promptBound) * dearestInput(model)
  const affordable = left / perToken
  return affordable < BigInt(limit) ? Math.max(1, Number(affordable)) : limit
}

function priceOfLimit({ model, promptBound, n }: ChatOrder, limit: number): MicroUsd {
  const usual = { promptTokens: promptBound, completionTokens: limit * n }
  const fresh = textPrice(model, { ...usual, cachedTokens: 0 })
  const cached = textPrice(model, { ...usual, cachedTokens: promptBound })
  return fresh > cached ? fresh : cached
}

function dearestInput(model: TextModel): bigint {
  const fresh = toMicroUsd(model.usdPerMillionInputTokens)
  const cached = toMicroUsd(model.usdPerMillionCachedInputTokens)
  return fresh > cached ? fresh : cached
}
