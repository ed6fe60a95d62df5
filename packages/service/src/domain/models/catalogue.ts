import type { Model, ModelFilter } from '@farebox/types'
import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import type { Capability } from '../../platform/upstream/upstream-settings.js'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import { completeCatalogue, type CatalogueSettings } from './catalogue-settings.js'
import { describeEmbeddingModel, type EmbeddingModel } from './embedding-models.js'
import { describeImageModel, type ImageModel } from './image-models.js'
import {
  describeSpeechModel,
  toSpeechModel,
  type SpeechModel,
  type SpeechModelId,
} from './speech-models.js'
import { describeTextModel, type TextModel } from './text-models.js'
import { describeTranscriptionModel, type TranscriptionModel } from './transcription-models.js'
import { describeVideoModel, toVideoModel, type VideoModel } from './video-models.js'

/** The column of the rate limits for a caller. */
export type RateTier = 'default' | 'partner'

/** The models, prices and limits of a service: the contract with an operator's changes. */
export type Catalogue = {
  /** The complete settings that this catalogue was built from. */
  readonly settings: CatalogueSettings
  /** The speech models that callers can use, by id. */
  readonly speechModels: ReadonlyMap<string, SpeechModel>
  /** The video models that callers can use, by id. */
  readonly videoModels: ReadonlyMap<string, VideoModel>
  /** Video models that were switched off, too: videos that were queued before are still made. */
  readonly everyVideoModel: ReadonlyMap<string, VideoModel>
  /** The text models that callers can use, by id: those of a tier. */
  readonly textModels: ReadonlyMap<string, TextModel>
  /** The embedding models that callers can use, by id. */
  readonly embeddingModels: ReadonlyMap<string, EmbeddingModel>
  /** The image models that callers can use, by id. */
  readonly imageModels: ReadonlyMap<string, ImageModel>
  /** The transcription models that callers can use, by id. */
  readonly transcriptionModels: ReadonlyMap<string, TranscriptionModel>
  /** The price of a request to an operation with a fixed price. */
  readonly requestPrices: ReadonlyMap<string, MicroUsd>
}

/** The catalogue of these settings. */
export function buildCatalogue(settings: CatalogueSettings): Catalogue {
  const speech = Object.entries(settings.speech) as [
    SpeechModelId,
    CatalogueSettings['speech'][string],
  ][]
  const video = Object.entries(settings.video)
  const everyVideoModel = new Map(video.map(([id, one]) => [id, toVideoModel(id, one)]))
  return {
    settings,
    speechModels: new Map(
      speech.filter(([, { enabled }]) => enabled).map(([id, one]) => [id, toSpeechModel(id, one)]),
    ),
    videoModels: new Map(
      [...everyVideoModel].filter(([id]) => settings.video[id]?.enabled === true),
    ),
    everyVideoModel,
    textModels: new Map(
      Object.entries(settings.tiers).flatMap(([tier, { models }]) =>
        models.flatMap((id) => {
          const model = settings.text[id]
          return model ? [[id, { id, tier, ...model }] as const] : []
        }),
      ),
    ),
    embeddingModels: filterEnabledModels(settings.embedding),
    imageModels: filterEnabledModels(settings.image),
    transcriptionModels: filterEnabledModels(settings.transcription),
    requestPrices: new Map(
      Object.entries(settings.operations).map(([id, { usdPerRequest }]) => [
        id,
        toMicroUsd(usdPerRequest),
      ]),
    ),
  }
}

function filterEnabledModels<Settings extends { readonly enabled: boolean }>(
  all: Readonly<Record<string, Settings>>,
): ReadonlyMap<string, Settings & { readonly id: string }> {
  return new Map(
    Object.entries(all).flatMap(([id, one]) => (one.enabled ? [[id, { id, ...one }]] : [])),
  )
}

/** The catalogue of the contract, without changes of an operator. */
export const contractCatalogue: Catalogue = buildCatalogue(completeCatalogue({}))

/** Whether a backend serves a model at the moment. */
export type IsServed = (id: string) => boolean

/** The model with this id, as the API shows it. */
export function findModel(catalogue: Catalogue, id: string, isServed: IsServed): Model | undefined {
  const model = describeModels(catalogue, (one) => one === id)[0]
  if (!model || isServed(id)) return model
  return { ...model, model_spec: { ...model.model_spec, offline: true } }
}

/**
 * The models that callers can use and a backend serves, of a type or all, as the API shows them.
 * None is for code.
 */
export function filterModels(
  catalogue: Catalogue,
  filter: ModelFilter,
  isServed: IsServed,
): readonly Model[] {
  const models = describeModels(catalogue, isServed)
  if (filter === 'all') return models
  return models.filter(({ type }) => type === filter)
}

function describeModels(catalogue: Catalogue, isWanted: IsServed): readonly Model[] {
  const list = <One>(models: ReadonlyMap<string, One>, describe: (model: One) => Model) =>
    [...models].flatMap(([id, model]) => (isWanted(id) ? [describe(model)] : []))
  return [
    ...list(catalogue.textModels, describeTextModel),
    ...list(catalogue.speechModels, describeSpeechModel),
    ...list(catalogue.videoModels, describeVideoModel),
    ...list(catalogue.imageModels, describeImageModel),
    ...list(catalogue.embeddingModels, describeEmbeddingModel),
    ...list(catalogue.transcriptionModels, describeTranscriptionModel),
  ]
}

/**
 * Requests and tokens a minute. A class that the contract does not name has the limit of
 * `unstated`. Operations have the tokens of the largest tier of text models.
 */
export function findClassLimits(
  { settings: { limits, tiers } }: Catalogue,
  rateClass: string,
  tier: RateTier,
): { readonly requests: number; readonly tokens: number } {
  const figures = Object.hasOwn(limits, rateClass) ? limits[rateClass] : limits['unstated']
  if (figures === undefined) throw new Error('The catalogue has no limit for unstated requests')
  let tokens = 0
  for (const largest of Object.values(tiers)) tokens = Math.max(tokens, largest[tier].tokens)
  return { requests: figures[tier].requests, tokens }
}

/** Whether a class has the limit of the contract, and not one of the operator's own. */
export function hasContractLimit(catalogue: Catalogue, rateClass: string, tier: RateTier): boolean {
  const [own, contract] = [catalogue, contractCatalogue].map((one) =>
    findClassLimits(one, rateClass, tier),
  )
  return own?.requests === contract?.requests
}

/** The models that have no tier, each with the class that counts its requests. */
export function listRateClasses({
  speechModels,
  videoModels,
  imageModels,
  embeddingModels,
  transcriptionModels,
}: Catalogue): readonly (readonly [id: string, rateClass: string])[] {
  const list = (models: ReadonlyMap<string, unknown>, rateClass: string) =>
    [...models.keys()].map((id) => [id, rateClass] as const)
  return [
    ...list(speechModels, 'audio'),
    ...list(videoModels, 'videoQueue'),
    ...list(imageModels, 'image'),
    ...list(embeddingModels, 'embedding'),
    ...list(transcriptionModels, 'audio'),
  ]
}

/** Requests and tokens a minute of a tier of text models. */
export function findTierLimits({ settings: { tiers } }: Catalogue, name: string, tier: RateTier) {
  const figures = tiers[name]
  if (figures === undefined) throw new RangeError(`The catalogue has no tier ${name}`)
  return figures[tier]
}

const lowestPrices = new WeakMap<Catalogue, Map<OperationId, MicroUsd | undefined>>()

/** The lowest possible price, known before the body is read. Undefined for a free operation. */
export function findLowestPrice(catalogue: Catalogue, id: OperationId): MicroUsd | undefined {
  let prices = lowestPrices.get(catalogue)
  if (!prices) lowestPrices.set(catalogue, (prices = new Map()))
  // each request asks
  if (!prices.has(id)) prices.set(id, computeLowestPrice(catalogue, id))
  return prices.get(id)
}

function computeLowestPrice(catalogue: Catalogue, id: OperationId): MicroUsd | undefined {
  const { billing }: Operation = operations[id]
  if (billing === 'characters')
    return findMinimum([...catalogue.speechModels.values()].map((model) => priceSpeech(model, 1)))
  if (billing === 'tokens' || billing === 'images' || billing === 'seconds')
    return findMinimum(listPrices(catalogue, billing).map((usd) => (usd > 0 ? 1n : 0n)))
  if (billing === 'quote')
    return findMinimum(
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

/** The maximum length of a text for speech in the contract, in characters. */
const longestInput = 4096

/**
 * The highest possible price, known before the body is read. Undefined for a free operation, and
 * for a price that has no bound.
 */
export function findHighestPrice(catalogue: Catalogue, id: OperationId): MicroUsd | undefined {
  const { billing }: Operation = operations[id]
  if (billing !== 'characters') return catalogue.requestPrices.get(id)
  const most = [...catalogue.speechModels.values()].map((model) => priceSpeech(model, longestInput))
  return most.reduce((one, other) => (one > other ? one : other), 0n)
}

/** Characters (code points) at the price of the model, rounded up to a whole micro-USD. */
export function priceSpeech(
  { usdPerMillionCharacters }: SpeechModel,
  characters: number,
): MicroUsd {
  return (BigInt(characters) * toMicroUsd(usdPerMillionCharacters) + 999_999n) / 1_000_000n
}

/**
 * An operation whose models are all switched off still has a price, so that the model causes the
 * rejection.
 */
function findMinimum(prices: readonly MicroUsd[]): MicroUsd {
  const [first = 1n, ...others] = prices
  return others.reduce((one, other) => (one < other ? one : other), first)
}

/** What a model does, for reports. */
export function findCapability({ settings }: Catalogue, model: string): Capability {
  if (model === textModel || model === '') return 'text'
  if (Object.hasOwn(settings.speech, model)) return 'speech'
  if (Object.hasOwn(settings.text, model)) return 'chat'
  for (const kind of ['embedding', 'image', 'transcription'] as const)
    if (Object.hasOwn(settings[kind], model)) return kind
  return 'video'
}

/** The model of the text parser, as the ledger names it. */
export const textModel = 'text-parser'
