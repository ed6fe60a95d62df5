import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import type { Farebox } from 'farebox'
import { textField } from './text-field.js'

export type PriceAsker = Pick<Farebox, 'getModel' | 'quoteVideo'>

/**
 * The highest price of a call in USD, before it is sent, by `x-price-usd` and `x-billing` of the
 * contract: a fixed price; the characters at the higher of the contract's and the service's price
 * of the model; a quote; the amount of a payment. An operation without a price is free.
 */
export async function estimatePrice(
  id: OperationId,
  input: Readonly<Record<string, unknown>>,
  asker: PriceAsker,
  signal: AbortSignal,
): Promise<number> {
  const { billing, priceUsd = 0 }: Operation = operations[id]
  if (billing === 'payment') return Number(input['amountUsd'])
  if (billing === 'characters') return speechPrice(input, asker, signal)
  if (billing === 'quote') return (await asker.quoteVideo(quotable(input), { signal })).quote
  return priceUsd
}

async function speechPrice(
  input: Readonly<Record<string, unknown>>,
  asker: PriceAsker,
  signal: AbortSignal,
): Promise<number> {
  const model = textField(input, 'model') ?? operations.createSpeech.defaults.model
  const known: Readonly<Record<string, number>> = prices.speechUsdPerMillionCharacters
  const asked = (await asker.getModel({ id: model }, { signal })).model_spec.pricing?.input?.usd
  const perMillion = Math.max(known[model] ?? 0, asked ?? 0)
  // a model without a known price may not be free
  return perMillion === 0
    ? Number.NaN
    : (Array.from(textField(input, 'input') ?? '').length * perMillion) / 1e6
}

/** The fields that an order and a quote have in common. No other field may change the quote. */
function quotable(input: Readonly<Record<string, unknown>>): Parameters<Farebox['quoteVideo']>[0] {
  const quoted: readonly string[] = operations.quoteVideo.body.fields
  const priced = operations.queueVideo.body.fields.filter((name) => quoted.includes(name))
  // the contract refuses other values
  return Object.fromEntries(
    priced.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  ) as Parameters<Farebox['quoteVideo']>[0]
}
