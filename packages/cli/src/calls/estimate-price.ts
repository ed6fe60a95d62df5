import type { Model } from '@farebox/types'
import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import type { Farebox } from 'farebox'
import { CommandError } from '../command.js'

type ModelSpec = Partial<Model['model_spec']>

export type PriceAsker = Pick<Farebox, 'getModel' | 'quoteVideo'>

/**
 * The highest price of a call in USD, before it is sent, by `x-price-usd` and `x-billing` of the
 * contract: a fixed price; the characters at the higher of the contract's and the service's price
 * of the model; tokens, images and seconds at the service's price of the model; a quote; the amount
 * of a payment. An operation without a price is free. NaN: the price is not known. Throws `CommandError`
 * for an input without the model whose price it is.
 */
export async function estimatePrice(
  id: OperationId,
  input: Readonly<Record<string, unknown>>,
  asker: PriceAsker,
  signal: AbortSignal,
): Promise<number> {
  const { billing, priceUsd = 0 }: Operation = operations[id]
  if (billing === 'payment') return Number(input['amountUsd'])
  if (billing === 'characters') return priceSpeech(input, asker, signal)
  if (billing === 'tokens') return priceTokens(input, await readModelPrice(input, asker, signal))
  if (billing === 'images') return priceImages(input, await readModelPrice(input, asker, signal))
  if (billing === 'seconds') return priceSeconds(input, await readModelPrice(input, asker, signal))
  if (billing === 'quote') return (await asker.quoteVideo(pickQuoteFields(input), { signal })).quote
  return priceUsd
}

async function readModelPrice(
  input: Readonly<Record<string, unknown>>,
  asker: PriceAsker,
  signal: AbortSignal,
): Promise<ModelSpec> {
  const id = readStringField(input, 'model')
  if (id === undefined)
    throw new CommandError(
      'price_unknown',
      'The price depends on the model, and the input has no `model`. Nothing was sent.',
    )
  return readModelSpec(await asker.getModel({ id }, { signal }))
}

/** What a model costs and offers. A service that lists only the fields of OpenAI does not say. */
export function readModelSpec(model: { readonly model_spec?: ModelSpec }): ModelSpec {
  return model.model_spec ?? {}
}

/** Each token of the prompt has one byte at least. A template adds some for each message. */
function priceTokens(
  input: Readonly<Record<string, unknown>>,
  { pricing, maxCompletionTokens }: ModelSpec,
): number {
  const prompt = 1_000 + 2 * Buffer.byteLength(JSON.stringify(input))
  const maxTokens = input['max_completion_tokens'] ?? input['max_tokens'] ?? maxCompletionTokens
  const completion =
    pricing?.output === undefined ? 0 : toCount(maxTokens) * toCount(input['n'] ?? 1)
  const usd = prompt * (pricing?.input?.usd ?? NaN) + completion * (pricing?.output?.usd ?? 0)
  return usd / 1e6
}

/** The price of a quality is not known. */
function priceImages(input: Readonly<Record<string, unknown>>, { pricing }: ModelSpec): number {
  const { size, quality = 'auto', n } = input
  if (quality !== null && quality !== 'auto') return NaN
  const sizes: Readonly<Record<string, { readonly usd: number } | undefined>> =
    pricing?.resolutions ?? {}
  const usd =
    typeof size === 'string' && size !== 'auto' ? sizes[size]?.usd : pricing?.generation?.usd
  return (usd ?? NaN) * toCount(n ?? 1)
}

/** Recordings have 8 kbit/s at least in practice, and last four hours at most. */
function priceSeconds({ file }: Readonly<Record<string, unknown>>, { pricing }: ModelSpec): number {
  const { size } = Object(file) as { readonly size?: unknown }
  const seconds = Math.min(4 * 3_600, toCount(size) / 1_000)
  return (seconds / 60) * (pricing?.per_audio_minute?.usd ?? NaN)
}

function toCount(value: unknown): number {
  return typeof value === 'number' ? value : NaN
}

async function priceSpeech(
  input: Readonly<Record<string, unknown>>,
  asker: PriceAsker,
  signal: AbortSignal,
): Promise<number> {
  const model = readStringField(input, 'model') ?? operations.createSpeech.defaults.model
  const speechPrices: Readonly<Record<string, number>> = prices.speechUsdPerMillionCharacters
  const { pricing } = await readModelPrice({ model }, asker, signal)
  const perMillion = Math.max(speechPrices[model] ?? 0, pricing?.input?.usd ?? 0)
  // a model without a known price may not be free
  return perMillion === 0
    ? Number.NaN
    : (Array.from(readStringField(input, 'input') ?? '').length * perMillion) / 1e6
}

/** The fields that an order and a quote have in common. No other field may change the quote. */
function pickQuoteFields(
  input: Readonly<Record<string, unknown>>,
): Parameters<Farebox['quoteVideo']>[0] {
  const quoteFields: readonly string[] = operations.quoteVideo.body.fields
  const sharedFields = operations.queueVideo.body.fields.filter((name) =>
    quoteFields.includes(name),
  )
  // the contract rejects other values
  return Object.fromEntries(
    sharedFields.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  ) as Parameters<Farebox['quoteVideo']>[0]
}

/**
 * A string field of a tool's input, or undefined. The contract rejects other values before
 * anything is sent.
 */
export function readStringField(
  input: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const value = input[name]
  return typeof value === 'string' ? value : undefined
}
