import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import type { Catalogue } from './catalogue.js'
import type { SpeechModel } from './speech-models.js'

/** The lowest possible price, known before the body is read. Undefined for a free operation. */
export function lowestPrice(catalogue: Catalogue, id: OperationId): MicroUsd | undefined {
  const billing = findBilling(id)
  if (billing === 'characters')
    return minimum([...catalogue.speechModels.values()].map((model) => speechPrice(model, 1)))
  if (billing === 'tokens' || billing === 'images' || billing === 'seconds')
    return minimum(listPrices(catalogue, billing).map((usd) => (usd > 0 ? 1n : 0n)))
  if (billing === 'quote')
    return minimum(
      [...catalogue.videoModels.values()].map(({ usdPerSecond }) => (usdPerSecond > 0 ? 1n : 0n)),
    )
  return catalogue.requestPrices.get(id)
}

/** Prices of models whose work costs a micro-USD at least, unless they are free. */
function listPrices(
  { textModels, embeddingModels, imageModels, transcriptionModels }: Catalogue,
  billing: 'tokens' | 'images' | 'seconds',
): readonly number[] {
  if (billing === 'images')
    return [...imageModels.values()].flatMap(({ usdPerImage }) => Object.values(usdPerImage))
  if (billing === 'seconds')
    return [...transcriptionModels.values()].map(({ usdPerMinute }) => usdPerMinute)
  return [
    ...[...textModels.values()].map((model) => model.usdPerMillionOutputTokens),
    ...[...embeddingModels.values()].map((model) => model.usdPerMillionTokens),
  ]
}

/** The longest text that the contract takes for speech, in characters. */
const longestInput = 4096

/**
 * The highest possible price, known before the body is read. Undefined for a free operation, and
 * for a price that has no bound.
 */
export function highestPrice(catalogue: Catalogue, id: OperationId): MicroUsd | undefined {
  if (findBilling(id) !== 'characters') return catalogue.requestPrices.get(id)
  const most = [...catalogue.speechModels.values()].map((model) => speechPrice(model, longestInput))
  return most.reduce((one, other) => (one > other ? one : other), 0n)
}

/** How a price that varies is found (`x-billing`). */
export function findBilling(id: OperationId): Operation['billing'] {
  const { billing }: Operation = operations[id]
  return billing
}

/** Characters (code points) at the price of the model, rounded up to a whole micro-USD. */
export function speechPrice(
  { usdPerMillionCharacters }: SpeechModel,
  characters: number,
): MicroUsd {
  return (BigInt(characters) * toMicroUsd(usdPerMillionCharacters) + 999_999n) / 1_000_000n
}

/** An operation whose models are all off is priced all the same, so that it is refused as such. */
function minimum(prices: readonly MicroUsd[]): MicroUsd {
  const [first = 1n, ...others] = prices
  return others.reduce((one, other) => (one < other ? one : other), first)
}
