import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import { speechModels } from './speech-models.js'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'

/** The price of a request. Undefined for a free operation. */
export function priceOf(id: OperationId, input: Readonly<Record<string, unknown>>): MicroUsd | undefined {
  if (billingOf(id) === 'characters') return pricePerCharacter(input, Array.from(String(input['input'])).length)
  return fixedPriceOf(id)
}

/**
 * The price of so many characters of a text, or of a whole response with a fixed price: at least
 * the lowest price, and never more than the price of the request.
 */
export function meteredPriceOf(id: OperationId, input: Readonly<Record<string, unknown>>, made: number): MicroUsd {
  const whole = priceOf(id, input) ?? 0n
  if (billingOf(id) !== 'characters') return whole
  const price = pricePerCharacter(input, made)
  return price < 1n ? 1n : price > whole ? whole : price
}

/** The lowest possible price, known before the body is read. Undefined for a free operation. */
export function leastPriceOf(id: OperationId): MicroUsd | undefined {
  const billing = billingOf(id)
  return fixedPriceOf(id) ?? (billing === 'characters' || billing === 'quote' ? 1n : undefined)
}

/** The longest text that the contract takes for speech, in characters. */
const longestInput = 4096

/**
 * The highest possible price, known before the body is read. Undefined for a free operation, and
 * for a price that has no bound.
 */
export function mostPriceOf(id: OperationId): MicroUsd | undefined {
  if (billingOf(id) !== 'characters') return fixedPriceOf(id)
  const most = [...speechModels.keys()].map((model) => pricePerCharacter({ model }, longestInput))
  return most.reduce((one, other) => (one > other ? one : other), 0n)
}

/** How a price that varies is found (`x-billing`). */
export function billingOf(id: OperationId): Operation['billing'] {
  const { billing }: Operation = operations[id]
  return billing
}

/** The price of an operation with a fixed price (`x-price-usd`). */
export function fixedPriceOf(id: OperationId): MicroUsd | undefined {
  const { priceUsd }: Operation = operations[id]
  return priceUsd === undefined ? undefined : toMicroUsd(priceUsd)
}

/**
 * Characters (code points) at the price of the model (`x-prices`), rounded up to a whole micro-USD.
 */
function pricePerCharacter({ model }: Readonly<Record<string, unknown>>, characters: number): MicroUsd {
  const perMillion = speechModels.get(String(model))?.usdPerMillionCharacters ?? prices.speechUsdPerMillionCharacters['tts-kokoro']
  // in thousandths of a micro-USD a character, since prices have decimals
  return (BigInt(characters) * BigInt(Math.round(perMillion * 1000)) + 999n) / 1000n
}
