import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import { speechModels } from './speech-models.js'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'

/** The price of a request. Undefined for a free operation. */
export function priceOf(id: OperationId, input: Readonly<Record<string, unknown>>): MicroUsd | undefined {
  if (billingOf(id) === 'characters') return speechPrice(String(input['model']), String(input['input']))
  return fixedPriceOf(id)
}

/** The lowest possible price, known before the body is read. Undefined for a free operation. */
export function leastPriceOf(id: OperationId): MicroUsd | undefined {
  const billing = billingOf(id)
  return fixedPriceOf(id) ?? (billing === 'characters' || billing === 'quote' ? 1n : undefined)
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
export function speechPrice(model: string, text: string): MicroUsd {
  const perMillion = speechModels.get(model)?.usdPerMillionCharacters ?? prices.speechUsdPerMillionCharacters['tts-kokoro']
  const characters = BigInt(Array.from(text).length)
  // in thousandths of a micro-USD a character, since prices have decimals
  return (characters * BigInt(Math.round(perMillion * 1000)) + 999n) / 1000n
}
