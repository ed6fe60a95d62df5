import { operations, rateLimits, type Operation } from '@farebox/types/operations'
import { contractEmbedding, type EmbeddingSettings } from './embedding-models.js'
import { contractImage, type ImageSettings } from './image-models.js'
import { readContractSpeech, speechModelIds, type SpeechSettings } from './speech-models.js'
import { contractText, contractTiers, type TextSettings } from './text-models.js'
import { contractTranscription, type TranscriptionSettings } from './transcription-models.js'
import { findUsualFactors, ownVideo, type VideoSettings } from './video-models.js'

type Requests = { readonly requests: number }
type Tokens = Requests & { readonly tokens: number }
type ByTier<Figures> = { readonly default: Figures; readonly partner: Figures }

/** All that an operator may set, with nothing left out. */
export type CatalogueSettings = {
  readonly speech: Readonly<Record<string, SpeechSettings>>
  readonly video: Readonly<Record<string, VideoSettings>>
  readonly text: Readonly<Record<string, TextSettings>>
  readonly embedding: Readonly<Record<string, EmbeddingSettings>>
  readonly image: Readonly<Record<string, ImageSettings>>
  readonly transcription: Readonly<Record<string, TranscriptionSettings>>
  /** Operations with a fixed price. */
  readonly operations: Readonly<Record<string, { readonly usdPerRequest: number }>>
  /** Requests a minute, by class of operations. */
  readonly limits: Readonly<Record<string, ByTier<Requests>>>
  /** Text models by size, with their limits for a minute. */
  readonly tiers: Readonly<Record<string, ByTier<Tokens> & { readonly models: readonly string[] }>>
}

/**
 * The changes of an operator to the contract's tables. An absent field stays as it is, and a
 * list replaces a list. Prices are in US dollars, with at most six decimals.
 */
export type CatalogueOverrides = {
  /** The schema of this file, for editors. */
  readonly $schema?: string
  /** By the id of a speech model of the contract. */
  readonly speech?: Readonly<Record<string, Partial<SpeechSettings>>>
  /** By id. A new model needs name, input, usdPerSecond and durations. */
  readonly video?: Readonly<Record<string, Partial<VideoSettings>>>
  /** By id. A new model also needs a place in a tier. */
  readonly text?: Readonly<Record<string, Partial<TextSettings>>>
  /** By id. A new model needs name, usdPerMillionTokens, maxInputTokens and dimensions. */
  readonly embedding?: Readonly<Record<string, Partial<EmbeddingSettings>>>
  /** By id. A new model needs name and usdPerImage. */
  readonly image?: Readonly<Record<string, Partial<ImageSettings>>>
  /** By id. A new model needs name and usdPerMinute. */
  readonly transcription?: Readonly<Record<string, Partial<TranscriptionSettings>>>
  /** By operation id, for operations with a fixed price. */
  readonly operations?: Readonly<Record<string, { readonly usdPerRequest: number }>>
  /** Requests a minute, by class of operations (`x-rate-limits`). */
  readonly limits?: Readonly<Record<string, Partial<ByTier<Requests>>>>
  /** By the tier of text models. A text model is in one tier at most, and off in none. */
  readonly tiers?: Readonly<
    Record<string, Partial<ByTier<Tokens> & { readonly models: readonly string[] }>>
  >
}

/** Requests a minute of classes without a figure in the contract. */
const unstatedRequests = 600

/** What the contract says, and this service where the contract is silent. */
export const contractSettings: CatalogueSettings = {
  speech: Object.fromEntries(speechModelIds.map((id) => [id, readContractSpeech(id)])),
  video: ownVideo,
  text: contractText,
  embedding: contractEmbedding,
  image: contractImage,
  transcription: contractTranscription,
  operations: Object.fromEntries(
    Object.values<Operation>(operations).flatMap(({ id, priceUsd }) =>
      priceUsd === undefined ? [] : [[id, { usdPerRequest: priceUsd }]],
    ),
  ),
  limits: Object.fromEntries(
    Object.entries<Partial<ByTier<Requests>>>(rateLimits.classes).map(([name, one]) => [
      name,
      toTierLimits(one),
    ]),
  ),
  tiers: contractTiers,
}

/** A new video model has these where its operator sets nothing. */
const newVideo = {
  enabled: true,
  aspectRatios: [],
  resolutions: [],
  makesAudio: true,
  promptLimit: 2500,
  isPrivate: false,
} as const

const newText = { maxCompletionTokens: 16_384 }
const newEmbedding = { enabled: true, takesDimensions: false }
const newImage = { enabled: true, qualityFactors: {}, promptLimit: 4_000, imagesAtOnce: 10 }
const newTranscription = { enabled: true, maxSeconds: 4 * 3_600 }

/** A new model needs these, by its kind. */
export const requiredFields = {
  text: [
    'name',
    'usdPerMillionInputTokens',
    'usdPerMillionCachedInputTokens',
    'usdPerMillionOutputTokens',
    'contextTokens',
  ],
  embedding: ['name', 'usdPerMillionTokens', 'maxInputTokens', 'dimensions'],
  image: ['name', 'usdPerImage'],
  transcription: ['name', 'usdPerMinute'],
} as const

/** The settings of the contract with these validated changes. A list replaces a list. */
export function completeCatalogue({
  speech,
  video,
  text,
  embedding,
  image,
  transcription,
  operations: priced,
  limits,
  tiers,
}: CatalogueOverrides): CatalogueSettings {
  return {
    speech: overrideModels(contractSettings.speech, speech),
    video: Object.fromEntries(
      [...new Set([...Object.keys(ownVideo), ...Object.keys(video ?? {})])].map((id) => [
        id,
        overrideVideo(ownVideo[id], video?.[id]),
      ]),
    ),
    text: extendModels(contractText, newText, text),
    embedding: extendModels(contractEmbedding, newEmbedding, embedding),
    image: extendModels(contractImage, newImage, image),
    transcription: extendModels(contractTranscription, newTranscription, transcription),
    operations: overrideModels(contractSettings.operations, priced),
    limits: overrideModels(contractSettings.limits, limits),
    tiers: overrideModels(contractSettings.tiers, tiers),
  }
}

/** The factors of resolutions that the changes add are the usual ones. */
function overrideVideo(
  known: VideoSettings | undefined,
  changes: Partial<VideoSettings> = {},
): VideoSettings {
  const video = { ...newVideo, ...known, ...changes } as VideoSettings
  const factors = {
    ...findUsualFactors(video.resolutions),
    ...known?.priceFactors,
    ...changes.priceFactors,
  }
  return {
    ...video,
    priceFactors: Object.fromEntries(
      video.resolutions.map((resolution) => [resolution, factors[resolution]]),
    ),
  }
}

function overrideModels<One extends object>(
  base: Readonly<Record<string, One>>,
  changes: Readonly<Record<string, Partial<One> | undefined>> = {},
): Readonly<Record<string, One>> {
  return Object.fromEntries(
    Object.entries(base).map(([name, one]) => [name, { ...one, ...changes[name] }]),
  )
}

/** As `overridden`, with new models. */
function extendModels<One extends object>(
  base: Readonly<Record<string, One>>,
  usual: Partial<One>,
  changes: Readonly<Record<string, Partial<One>>> = {},
): Readonly<Record<string, One>> {
  const added = Object.keys(changes).filter((id) => !Object.hasOwn(base, id))
  return {
    ...overrideModels(base, changes),
    ...Object.fromEntries(added.map((id) => [id, { ...usual, ...changes[id] } as One])),
  }
}

/** The default limit applies to partners without a figure of their own. */
function toTierLimits({
  default: usual = { requests: unstatedRequests },
  partner = usual,
}: Partial<ByTier<Requests>>): ByTier<Requests> {
  return { default: usual, partner }
}
