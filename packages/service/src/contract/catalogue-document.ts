import { toUsd } from '../domain/ledger/money.js'
import type { Catalogue } from '../domain/models/catalogue.js'
import { isRecord } from '../platform/unknown-value.js'

export type Json = Readonly<Record<string, unknown>>

/** Follows references within the document. */
export function resolve(document: Json, node: unknown): Json {
  let found: unknown = node
  for (let hop = 0; hop < 20 && isRecord(found) && typeof found['$ref'] === 'string'; hop++) {
    let target: unknown = document
    for (const part of found['$ref'].slice(2).split('/'))
      target = isRecord(target) ? target[decodeURIComponent(part)] : undefined
    found = target
  }
  return isRecord(found) ? found : {}
}

/** The contract with the prices, voices and limits of a catalogue in its tables. */
export function applyCatalogue(document: Json, catalogue: Catalogue): Json {
  const { settings, speechModels, requestPrices } = catalogue
  const voices = recordAt(document, 'x-model-voices')
  const speech = [...speechModels.values()]
  return {
    ...document,
    paths: addPrices(recordAt(document, 'paths'), requestPrices),
    'x-rate-limits': {
      ...recordAt(document, 'x-rate-limits'),
      classes: settings.limits,
      tiers: settings.tiers,
    },
    'x-prices': {
      ...recordAt(document, 'x-prices'),
      textParserUsdPerRequest: settings.operations['parseText']?.usdPerRequest,
      speechUsdPerMillionCharacters: Object.fromEntries(
        speech.map(({ id, usdPerMillionCharacters }) => [id, usdPerMillionCharacters]),
      ),
      textUsdPerMillionTokens: Object.fromEntries(
        [...catalogue.textModels].map(([id, model]) => [
          id,
          {
            input: model.usdPerMillionInputTokens,
            cachedInput: model.usdPerMillionCachedInputTokens,
            output: model.usdPerMillionOutputTokens,
          },
        ]),
      ),
      embeddingUsdPerMillionTokens: Object.fromEntries(
        [...catalogue.embeddingModels].map(([id, { usdPerMillionTokens }]) => [
          id,
          usdPerMillionTokens,
        ]),
      ),
      audioUsdPerMinute: Object.fromEntries(
        [...catalogue.transcriptionModels].map(([id, { usdPerMinute }]) => [id, usdPerMinute]),
      ),
    },
    'x-model-voices': Object.fromEntries(
      speech.map(({ id, defaultVoice, voices: own }) => [
        id,
        { ...recordAt(voices, id), defaultVoice, voices: own },
      ]),
    ),
  }
}

function addPrices(paths: Json, prices: Catalogue['requestPrices']): Json {
  const withPrice = (operation: unknown) => {
    const price = isRecord(operation) ? prices.get(String(operation['operationId'])) : undefined
    return isRecord(operation) && price !== undefined
      ? { ...operation, 'x-price-usd': toUsd(price) }
      : operation
  }
  const entries = Object.entries(paths).map(([path, item]) => {
    const methods = isRecord(item)
      ? Object.entries(item).map(([method, operation]) => [method, withPrice(operation)])
      : []
    return [path, Object.fromEntries(methods) as Json]
  })
  return Object.fromEntries(entries) as Json
}

function recordAt(node: Json, name: string): Json {
  const property = node[name]
  return isRecord(property) ? property : {}
}
