import type { Model, ModelFilter } from '@farebox/types'
import { toMicroUsd, type MicroUsd } from '../ledger/money.js'
import { completeCatalogue, type CatalogueSettings } from './catalogue-settings.js'
import {
  describeSpeechModel,
  speechModel,
  type SpeechModel,
  type SpeechModelId,
} from './speech-models.js'
import { describeVideoModel, videoModel, type VideoModel } from './video-models.js'

/** The column of the rate limits for a caller. */
export type RateTier = 'default' | 'partner'

/** What a service sells, for how much, and how often: the contract with an operator's changes. */
export type Catalogue = {
  /** All of it, as the overrides that make it. */
  readonly settings: CatalogueSettings
  /** The speech models that callers can use, by id. */
  readonly speechModels: ReadonlyMap<string, SpeechModel>
  /** The video models that callers can use, by id. */
  readonly videoModels: ReadonlyMap<string, VideoModel>
  /** Video models that were switched off, too: videos that were queued before are still made. */
  readonly everyVideoModel: ReadonlyMap<string, VideoModel>
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
  const everyVideoModel = new Map(video.map(([id, one]) => [id, videoModel(id, one)]))
  return {
    settings,
    speechModels: new Map(
      speech.filter(([, { enabled }]) => enabled).map(([id, one]) => [id, speechModel(id, one)]),
    ),
    videoModels: new Map(
      [...everyVideoModel].filter(([id]) => settings.video[id]?.enabled === true),
    ),
    everyVideoModel,
    requestPrices: new Map(
      Object.entries(settings.operations).map(([id, { usdPerRequest }]) => [
        id,
        toMicroUsd(usdPerRequest),
      ]),
    ),
  }
}

/** The catalogue of the contract, without changes of an operator. */
export const contractCatalogue: Catalogue = buildCatalogue(completeCatalogue({}))

/** The model with this id, as the API shows it. */
export function findModel(catalogue: Catalogue, id: string): Model | undefined {
  const [speech, video] = [catalogue.speechModels.get(id), catalogue.videoModels.get(id)]
  if (speech) return describeSpeechModel(speech)
  if (video) return describeVideoModel(video)
  return undefined
}

/**
 * The models that callers can use, of a type or all, as the API shows them. The text models of the
 * tiers have no operation, so nobody can call one, and none is for code.
 */
export function filterModels(catalogue: Catalogue, filter: ModelFilter): readonly Model[] {
  const models = [
    ...[...catalogue.speechModels.values()].map(describeSpeechModel),
    ...[...catalogue.videoModels.values()].map(describeVideoModel),
  ]
  if (filter === 'all') return models
  return models.filter(({ type }) => type === filter)
}

/** Requests a minute. A class that the contract does not name has the limit of `unstated`. */
export function requestLimit(
  { settings: { limits } }: Catalogue,
  rateClass: string,
  tier: RateTier,
): number {
  const figures = Object.hasOwn(limits, rateClass) ? limits[rateClass] : limits['unstated']
  if (figures === undefined) throw new Error('The catalogue has no limit for unstated requests')
  return figures[tier].requests
}

/** Tokens a minute of the largest tier. No operation counts tokens yet. */
export function tokenLimit({ settings: { tiers } }: Catalogue, tier: RateTier): number {
  return Math.max(...Object.values(tiers).map((figures) => figures[tier].tokens))
}
