import { readFileSync } from 'node:fs'
import { VideoAspectRatio, VideoDuration, VideoResolution } from '@farebox/zod'
import * as z from 'zod'
import {
  describeIssue,
  strict,
  ConfigError,
  readConfig,
} from '../../platform/config/read-config.js'
import { readErrorCode } from '../../platform/unknown-value.js'
import { toMicroUsd, toUsd } from '../ledger/money.js'
import { findCatalogueFaults } from './catalogue-faults.js'
import {
  completeCatalogue,
  type CatalogueOverrides,
  contractSettings,
} from './catalogue-settings.js'
import { buildCatalogue, type Catalogue } from './catalogue.js'
import { imageQualities } from './image-models.js'
import { speechVoices } from './speech-models.js'

/**
 * The catalogue of the contract with these changes, which are checked against the contract. Throws
 * a RangeError that has each fault with its place, what was found and what was expected.
 */
export function createCatalogue(overrides: CatalogueOverrides): Catalogue {
  const checked = catalogueSchema.safeParse(overrides)
  if (checked.success) return buildCatalogue(completeCatalogue(overrides))
  const faults = checked.error.issues.map((issue) => {
    const { path, message } = describeIssue(issue, overrides)
    return `catalogue: ${path.map(String).join('.')}: ${message}`
  })
  throw new RangeError(faults.join('\n'))
}

/** The catalogue in a file of JSON or YAML. Throws a ConfigError with the line of each fault. */
export function readCatalogue(file: string): Catalogue {
  return buildCatalogue(completeCatalogue(readConfig(file, readText(file), catalogueSchema).value))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = readErrorCode(error) ?? 'unknown error'
    throw new ConfigError(file, [
      { pointer: '', message: `found no file that can be read (${code}), expected a catalogue.` },
    ])
  }
}

const highestPrice = 1_000_000
const maxRequests = 1_000_000
const maxTokens = 1_000_000_000

const price = z
  .number()
  .min(0)
  .max(highestPrice)
  .refine(isExact, {
    error: ({ input }) => `found ${String(input)}, expected an amount with at most six decimals.`,
  })

const factor = z
  .number()
  .min(0.000_001)
  .max(1_000)
  .refine(isExact, {
    error: ({ input }) => `found ${String(input)}, expected a factor with at most six decimals.`,
  })

const requests = z.int().min(1).max(maxRequests).describe('Requests in a minute.')
const tokens = z.int().min(1).max(maxTokens).describe('Tokens in a minute.')
const name = z.string().min(1).max(100).describe('The name for people.')
const enabled = z
  .boolean()
  .describe('Whether callers can use the model. A video that was queued before is still made.')

const voice = z.enum(speechVoices).meta({ id: 'Voice' })

const speech = optionalFields({
  enabled,
  name,
  usdPerMillionCharacters: price.describe('US dollars for a million characters of text.'),
  voices: uniqueArray(voice).min(1).describe('The voices that callers can name.'),
  defaultVoice: voice.describe('The voice of a request without one. It is one of `voices`.'),
}).meta({ id: 'SpeechModel' })

const video = optionalFields({
  enabled,
  name,
  input: z
    .enum(['text', 'image', 'reference', 'video'])
    .describe('What a video is made from. That of a known model cannot be changed.'),
  usdPerSecond: price.describe(
    'US dollars for a second of 720p, or for a second of a model without resolutions.',
  ),
  priceFactors: z
    .partialRecord(VideoResolution, factor)
    .describe(
      'What `usdPerSecond` is multiplied with for a resolution. Absent: in proportion to the work.',
    ),
  durations: uniqueArray(VideoDuration).min(1),
  aspectRatios: uniqueArray(VideoAspectRatio).describe(
    'Empty for a model that takes no `aspect_ratio`.',
  ),
  resolutions: uniqueArray(VideoResolution).describe(
    'Empty for a model that takes no `resolution`.',
  ),
  makesAudio: z.boolean(),
  promptLimit: z.int().min(1).max(10_000).describe('The longest prompt, in characters.'),
  isPrivate: z
    .boolean()
    .describe('Whether the video is at a `download_url`, and not in the response.'),
}).meta({ id: 'VideoModel' })

const tokenCount = z.int().min(1).max(100_000_000)
const text = optionalFields({
  name,
  usdPerMillionInputTokens: price.describe('US dollars for a million tokens of the prompt.'),
  usdPerMillionCachedInputTokens: price.describe(
    'US dollars for a million tokens of the prompt that the backend read from a cache.',
  ),
  usdPerMillionOutputTokens: price.describe('US dollars for a million tokens of completions.'),
  contextTokens: tokenCount.describe('Tokens of prompt and completion together.'),
  maxCompletionTokens: tokenCount.describe('Tokens of one completion at most.'),
  tokensPerImage: tokenCount.describe(
    'The most tokens of an image in the prompt. Absent: the model takes no images.',
  ),
  tokensPerAudioSecond: tokenCount.describe(
    'The most tokens of a second of audio in the prompt. Absent: the model takes no audio.',
  ),
  tokensPerVideoSecond: tokenCount.describe(
    'The most tokens of a second of video in the prompt. Absent: the model takes no videos.',
  ),
}).meta({ id: 'TextModel' })

const embedding = optionalFields({
  enabled,
  name,
  usdPerMillionTokens: price.describe('US dollars for a million tokens of the inputs.'),
  maxInputTokens: tokenCount.describe('Tokens of one input at most.'),
  dimensions: z.int().min(1).max(100_000).describe('The length of the vectors.'),
  takesDimensions: z.boolean().describe('Whether callers may ask for shorter vectors.'),
}).meta({ id: 'EmbeddingModel' })

const image = optionalFields({
  enabled,
  name,
  usdPerImage: z
    .record(z.string().regex(/^[1-9]\d{1,3}x[1-9]\d{1,3}$/), price)
    .refine((sizes) => Object.keys(sizes).length > 0, {
      error: 'found no size, expected one at least.',
    })
    .describe('US dollars for an image, by its size, such as 1024x1024. The first is the default.'),
  qualityFactors: z
    .partialRecord(z.enum(imageQualities), factor)
    .describe('What the price is multiplied with. Empty for a model that takes no `quality`.'),
  promptLimit: z.int().min(1).max(32_000).describe('The longest prompt, in characters.'),
  imagesAtOnce: z.int().min(1).max(10).describe('Images of one request at most.'),
}).meta({ id: 'ImageModel' })

const transcription = optionalFields({
  enabled,
  name,
  usdPerMinute: price.describe('US dollars for a minute of a recording.'),
  maxSeconds: z.int().min(1).max(86_400).describe('The longest recording.'),
}).meta({ id: 'TranscriptionModel' })

const limit = optionalFields({ default: strict({ requests }), partner: strict({ requests }) }).meta(
  {
    id: 'Limit',
  },
)
const tier = optionalFields({
  default: strict({ requests, tokens }),
  partner: strict({ requests, tokens }),
  models: uniqueArray(z.string().min(1).max(100)).describe(
    'Text models, of the contract or of `text`.',
  ),
}).meta({ id: 'Tier' })

const modelId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
const longModelId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/:-]{0,99}$/)

function modelRecord<Settings extends z.ZodType>(settings: Settings) {
  return z.record(longModelId, settings, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? 'found no id of a model, expected letters, digits, ".", "_", "-", ":" and "/".'
        : undefined,
  })
}

/** What a file of the catalogue may have. Every value is checked against the contract. */
const catalogueSchema: z.ZodType<CatalogueOverrides> = optionalFields({
  $schema: z.string().describe('The schema of this file, for editors.'),
  speech: knownFields(contractSettings.speech, speech).describe(
    'Speech models of the contract, by id.',
  ),
  video: z
    .record(modelId, video, {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'found no id of a model, expected letters, digits, ".", "_" and "-".'
          : undefined,
    })
    .describe(
      'Video models, by id. A new one needs `name`, `input`, `usdPerSecond` and `durations`.',
    ),
  text: modelRecord(text).describe(
    'Text models, by id. A new one needs `name`, its prices and `contextTokens`, and a place in `tiers`.',
  ),
  embedding: modelRecord(embedding).describe(
    'Embedding models, by id. A new one needs `name`, `usdPerMillionTokens`, `maxInputTokens` and `dimensions`.',
  ),
  image: modelRecord(image).describe(
    'Image models, by id. A new one needs `name` and `usdPerImage`.',
  ),
  transcription: modelRecord(transcription).describe(
    'Transcription models, by id. A new one needs `name` and `usdPerMinute`.',
  ),
  operations: knownFields(
    contractSettings.operations,
    strict({ usdPerRequest: price }).meta({ id: 'Operation' }),
  ).describe('Operations with a fixed price, by id.'),
  limits: knownFields(contractSettings.limits, limit).describe(
    'Rate limits by class of operations. `unstated` is for the others.',
  ),
  tiers: knownFields(contractSettings.tiers, tier).describe(
    'Text models by size, with their limits. A model is in one tier at most.',
  ),
}).superRefine((overrides, context) => {
  for (const { path, message } of findCatalogueFaults(overrides))
    context.addIssue({ code: 'custom', path: [...path], message })
})

/** The published JSON schema of the file. */
export function catalogueJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(catalogueSchema, { io: 'input' })
  return { $schema, title: 'Catalogue of a Farebox service', ...schema }
}

/** An object of these fields, each of which may be absent. */
function optionalFields<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const optional = Object.fromEntries(
    Object.entries(shape).map(([key, type]) => [key, z.exactOptional(type)]),
  )
  return strict(optional as { [Key in keyof Shape]: z.ZodExactOptional<Shape[Key]> })
}

/** An object whose fields have the names of `known`. */
function knownFields<Value extends z.ZodType>(
  known: Readonly<Record<string, unknown>>,
  value: Value,
) {
  return optionalFields(Object.fromEntries(Object.keys(known).map((key) => [key, value])))
}

/** A list without repeats. */
function uniqueArray<Item extends z.ZodType>(item: Item) {
  return z.array(item).refine((items) => new Set(items).size === items.length, {
    error: 'found an item twice, expected each once.',
  })
}

function isExact(usd: number): boolean {
  return usd > highestPrice || toUsd(toMicroUsd(usd)) === usd
}
