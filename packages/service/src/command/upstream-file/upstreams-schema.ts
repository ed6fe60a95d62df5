import * as z from 'zod'
import { contractCatalogue, type Catalogue, textModel } from '../../domain/models/catalogue.js'
import { isTestModel } from '../../domain/models/test-models.js'
import { strict } from '../../platform/config/read-config.js'
import {
  supportedFormats,
  type Capability,
  upstreamDefaults,
  repeats,
} from '../../platform/upstream/upstream-settings.js'
import { isBaseUrl } from '../settings/values.js'

const usd = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine(
    (price) => Math.round(price * 1e6) / 1e6 === price,
    'found more than six decimals, expected an amount in whole micro-USD.',
  )

/** Prices of an upstream. */
const prices = {
  usdPerRequest: usd.optional().meta({ description: 'For one request, in USD.' }),
  usdPerMillionCharacters: usd
    .optional()
    .meta({ description: 'For 1,000,000 characters of the text, in USD.' }),
  usdPerSecond: usd.optional().meta({ description: 'For a second of video, in USD.' }),
  usdPerMillionInputTokens: usd
    .optional()
    .meta({ description: 'For 1,000,000 tokens of prompts or inputs, in USD.' }),
  usdPerMillionOutputTokens: usd
    .optional()
    .meta({ description: 'For 1,000,000 tokens of completions, in USD.' }),
  usdPerImage: usd.optional().meta({ description: 'For an image, in USD.' }),
  usdPerMinute: usd.optional().meta({ description: 'For a minute of a recording, in USD.' }),
  usdPerMegabyte: usd
    .optional()
    .meta({ description: 'For 1,000,000 bytes of the document, in USD.' }),
}

const milliseconds = (least: number, fallback: number, what: string) =>
  z
    .int()
    .min(least)
    .max(86_400_000)
    .optional()
    .meta({ description: `Milliseconds ${what}. Default: ${fallback}.` })

const { timeouts, breaker, weight, retries, health } = upstreamDefaults

/** How long an upstream may take. */
const times = {
  firstByteMs: milliseconds(
    1,
    timeouts.firstByteMs,
    'until the first byte of speech or token of a completion, or until the response to any other request',
  ),
  idleMs: milliseconds(
    1,
    timeouts.idleMs,
    'from one part of speech or of a completion to the next',
  ),
  videoMs: milliseconds(1, timeouts.videoMs, 'for one video, from its order to its last byte'),
  pollMs: milliseconds(100, timeouts.pollMs, 'between two questions for a video'),
}

/** Fields of every upstream. */
const common = {
  name: z
    .string()
    .regex(
      /^[\w.:-]{1,60}$/,
      'found other characters, expected 1 to 60 letters, digits, dots, colons, hyphens or underscores.',
    )
    .meta({
      description: 'In the log, in metrics, and in the operator page. Unique for the capability.',
    }),
  url: z
    .string()
    .refine(
      isBaseUrl,
      'found no URL that can be called, expected one like https://api.example/v1, without a user, a query or a fragment.',
    )
    .meta({ description: 'The base URL.', format: 'uri' }),
  key: strict(
    {
      variable: z
        .string()
        .min(1)
        .optional()
        .meta({ description: 'The environment variable that contains it.' }),
      file: z.string().min(1).optional().meta({
        description:
          'The file that contains it, relative to the folder of this file. Other users must not be able to read it.',
      }),
    },
    'found no object, expected { variable: NAME } or { file: PATH }, which name where the key is. The file never has the key itself.',
  )
    .refine(
      ({ variable, file }) => (variable === undefined) !== (file === undefined),
      'found none or both, expected one of variable and file.',
    )
    .optional()
    .meta({
      description: 'Where the bearer key is. Never the key itself.',
      minProperties: 1,
      maxProperties: 1,
    }),
  weight: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta({
      description: `Its share of the requests. 0: only when no other upstream takes one. Default: ${weight}.`,
    }),
  concurrency: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'Requests at a time. Default: no limit.' }),
  retries: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: `How often one request is sent to it again. Default: ${retries}.` }),
  repeat: z.enum(repeats).optional().meta({
    description:
      'Where a request goes after a response that was lost: nowhere, to another upstream, to this one again under its Idempotency-Key and then to another, or to any. Default: keyed for the format farebox, never for video, else failover.',
  }),
  breaker: strict({
    failures: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .meta({
        description: `Failures in a row that open the circuit. Default: ${breaker.failures}.`,
      }),
    openMs: milliseconds(1, breaker.openMs, 'without requests, before one request tries it'),
  }).optional(),
  health: strict({
    path: z
      .string()
      .regex(/^\/[\w./~-]*$/, 'found another path, expected one like /models, without a query.')
      .meta({
        description: 'The path below the URL. A GET there, with the key, has to return 2xx.',
      }),
    everyMs: milliseconds(1_000, health.everyMs, 'between two checks'),
  })
    .optional()
    .meta({
      description:
        'Checks that notice a failure or a recovery without a request of a caller. Default: none.',
    }),
}

const voiceNames = z
  .record(z.string(), z.string())
  .optional()
  .meta({ description: 'Its own names of voices.' })

function modelFields(models: readonly string[]) {
  return {
    models: z
      .array(z.enum(models))
      .min(1)
      .optional()
      .meta({ description: 'The models that it serves. Default: all.' }),
    modelNames: modelRecord(models, z.string().min(1))
      .optional()
      .meta({ description: 'Its own names of models.' }),
  }
}

function costFields<Prices extends z.ZodRawShape>(given: Prices, models: readonly string[]) {
  return strict({
    header: z
      .string()
      .regex(/^[\w-]{1,100}$/, 'found another string, expected the name of a header.')
      .optional()
      .meta({
        description: 'A response header with the cost in USD. It takes precedence over the prices.',
      }),
    ...given,
    models: modelRecord(models, strict(given))
      .optional()
      .meta({ description: 'Models with other prices.' }),
  })
    .optional()
    .meta({ description: 'What it bills. Without it, the cost in the ledger is unknown.' })
}

/** An object with an optional value for each model. */
function modelRecord<Value extends z.ZodType>(models: readonly string[], value: Value) {
  return strict(Object.fromEntries(models.map((model) => [model, value.optional()])))
}

const { usdPerRequest, usdPerMillionCharacters, usdPerSecond, usdPerMegabyte } = prices
const { usdPerMillionInputTokens, usdPerMillionOutputTokens, usdPerImage, usdPerMinute } = prices
const { firstByteMs, idleMs, videoMs, pollMs } = times

/** The models that upstreams of a capability may name. */
type KnownModels = Readonly<Record<Capability, readonly string[]>>

/** The models of a catalogue, including those that are switched off. */
export function listModels({ settings, everyVideoModel }: Catalogue): KnownModels {
  const others = (models: object) => Object.keys(models).filter((id) => !isTestModel(id))
  return {
    speech: Object.keys(settings.speech),
    video: [...everyVideoModel.keys()],
    text: [textModel],
    chat: others(settings.text),
    embedding: others(settings.embedding),
    image: others(settings.image),
    transcription: others(settings.transcription),
  }
}

/** The models of the contract. */
const contractModels: KnownModels = listModels(contractCatalogue)

/** The schema of a file of upstreams. */
export function createUpstreamsSchema(known: KnownModels = contractModels) {
  return strict({
    $schema: z
      .string()
      .optional()
      .meta({ description: 'The JSON Schema of this file, for editors.' }),
    upstreams: z
      .array(
        z.discriminatedUnion('capability', [
          speech(known.speech),
          video(known.video),
          text(known.text),
          chat(known.chat),
          inference('embedding', known.embedding, { usdPerRequest, usdPerMillionInputTokens }),
          inference('image', known.image, { usdPerRequest, usdPerImage }),
          inference('transcription', known.transcription, { usdPerRequest, usdPerMinute }),
        ]),
      )
      .meta({ description: 'A capability without an upstream has the backend of this service.' }),
  }).superRefine(({ upstreams }, context) => {
    const seen = new Set<string>()
    for (const [index, { capability, name }] of upstreams.entries()) {
      const path = ['upstreams', index, 'name']
      if (seen.has(`${capability} ${name}`))
        context.addIssue({
          code: 'custom',
          path,
          message: `found a second upstream of ${capability} with this name, expected another.`,
        })
      seen.add(`${capability} ${name}`)
    }
  })
}

export type UpstreamEntry = z.output<ReturnType<typeof createUpstreamsSchema>>['upstreams'][number]

function speech(models: readonly string[]) {
  return strict({
    capability: z.literal('speech'),
    format: z
      .enum(supportedFormats.speech)
      .optional()
      .meta({ description: "openai: OpenAI's /audio/speech." }),
    ...common,
    ...modelFields(models),
    voiceNames,
    timeouts: strict({ firstByteMs, idleMs }).optional(),
    cost: costFields({ usdPerRequest, usdPerMillionCharacters }, models),
  })
}

function video(models: readonly string[]) {
  return strict({
    capability: z.literal('video'),
    format: z.enum(supportedFormats.video).optional().meta({
      description: "farebox (the default): this contract's /video/queue. openai: OpenAI's /videos.",
    }),
    ...common,
    ...modelFields(models),
    timeouts: strict({ firstByteMs, videoMs, pollMs }).optional(),
    cost: costFields({ usdPerRequest, usdPerSecond }, models),
  })
}

function text(models: readonly string[]) {
  return strict({
    capability: z.literal('text'),
    format: z
      .enum(supportedFormats.text)
      .optional()
      .meta({ description: "farebox: this contract's /augment/text-parser." }),
    ...common,
    models: modelFields(models).models,
    timeouts: strict({ firstByteMs }).optional(),
    cost: costFields({ usdPerRequest, usdPerMegabyte }, models),
  })
}

function chat(models: readonly string[]) {
  return strict({
    capability: z.literal('chat'),
    format: z
      .enum(supportedFormats.chat)
      .optional()
      .meta({ description: "openai: OpenAI's /chat/completions." }),
    ...common,
    ...modelFields(models),
    extraFields: z
      .array(z.string().regex(/^\w{1,60}$/))
      .optional()
      .meta({
        description:
          'Fields of requests that are not in the contract, and that it takes. Default: none.',
      }),
    limitField: z
      .enum(['max_tokens', 'max_completion_tokens'])
      .optional()
      .meta({ description: 'Its name of the limit of a completion. Default: max_tokens.' }),
    asksUsage: z.boolean().optional().meta({
      description:
        'Whether it understands stream_options.include_usage. Without the usage, tokens are counted here. Default: true.',
    }),
    timeouts: strict({ firstByteMs, idleMs }).optional(),
    cost: costFields(
      { usdPerRequest, usdPerMillionInputTokens, usdPerMillionOutputTokens },
      models,
    ),
  })
}

function inference<
  const Name extends 'embedding' | 'image' | 'transcription',
  Prices extends z.ZodRawShape,
>(capability: Name, models: readonly string[], given: Prices) {
  return strict({
    capability: z.literal(capability),
    format: z.enum(supportedFormats[capability]).optional(),
    ...common,
    ...modelFields(models),
    timeouts: strict({ firstByteMs }).optional(),
    cost: costFields(given, models),
  })
}

/** The published JSON schema of the file. */
export function upstreamsJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(createUpstreamsSchema(), { io: 'input' })
  return { $schema, title: 'Upstreams of a Farebox service', ...schema }
}
