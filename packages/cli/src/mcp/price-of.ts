import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import type { Farebox } from 'farebox'
import { textField } from './text-field.js'

export type PriceAsker = Pick<Farebox, 'getModel' | 'quoteVideo'>

/**
 * What a call costs in USD at most, before it is made: `x-price-usd` of the contract; speech by its characters at the price of the model, the dearer
 * one of the contract's and the service's; a video by its quote; a top-up what it buys. What the contract names no price for is free.
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
  // a model that nobody names a price for is not known to be free
  return perMillion === 0 ? Number.NaN : (Array.from(textField(input, 'input') ?? '').length * perMillion) / 1e6
}

const priced = ['model', 'duration', 'aspect_ratio', 'resolution', 'upscale_factor', 'audio', 'video_url'] as const

function quotable(input: Readonly<Record<string, unknown>>): Parameters<Farebox['quoteVideo']>[0] {
  // what the contract does not take it refuses
  return Object.fromEntries(priced.filter((name) => input[name] !== undefined).map((name) => [name, input[name]])) as Parameters<
    Farebox['quoteVideo']
  >[0]
}
