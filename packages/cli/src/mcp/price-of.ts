import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import type { Farebox } from 'farebox'
import { textField } from './text-field.js'

export type PriceAsker = Pick<Farebox, 'getModel' | 'quoteVideo'>

/**
 * The highest price of a call in USD, before it is sent: `x-price-usd` of the contract; for speech,
 * the characters at the higher of the contract's and the service's price of the model; for a video,
 * its quote; for a top-up, its amount. An operation without a price in the contract is free.
 */
export async function priceOf(
  id: OperationId,
  input: Readonly<Record<string, unknown>>,
  asker: PriceAsker,
  signal: AbortSignal,
): Promise<number> {
  if (id === 'topUp') return Number(input['amountUsd'])
  if (id === 'createSpeech') return speechPrice(input, asker, signal)
  if (id === 'queueVideo') return (await asker.quoteVideo(quotable(input), { signal })).quote
  const { priceUsd = 0 }: Operation & { readonly priceUsd?: number } = operations[id]
  return priceUsd
}

async function speechPrice(input: Readonly<Record<string, unknown>>, asker: PriceAsker, signal: AbortSignal): Promise<number> {
  const model = textField(input, 'model') ?? operations.createSpeech.defaults.model
  const known: Readonly<Record<string, number>> = prices.speechUsdPerMillionCharacters
  const asked = (await asker.getModel({ id: model }, { signal })).model_spec.pricing?.input?.usd
  const perMillion = Math.max(known[model] ?? 0, asked ?? 0)
  // a model without a known price may not be free
  return perMillion === 0 ? Number.NaN : (Array.from(textField(input, 'input') ?? '').length * perMillion) / 1e6
}

const priced = ['model', 'duration', 'aspect_ratio', 'resolution', 'upscale_factor', 'audio', 'video_url'] as const

function quotable(input: Readonly<Record<string, unknown>>): Parameters<Farebox['quoteVideo']>[0] {
  // the contract refuses other values
  return Object.fromEntries(priced.filter((name) => input[name] !== undefined).map((name) => [name, input[name]])) as Parameters<
    Farebox['quoteVideo']
  >[0]
}
