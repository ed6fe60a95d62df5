import * as z from 'zod'
import { contractCatalogue, type Catalogue, textModel } from '../../domain/models/catalogue.js'
import { isTestModel } from '../../domain/models/test-models.js'
import { strict } from '../../platform/config/describe-issue.js'
import { supportedFormats, type Capability } from '../../platform/upstream/upstream-settings.js'
import { common, costFields, modelFields, prices, times, voiceNames } from './upstream-fields.js'

const { usdPerRequest, usdPerMillionCharacters, usdPerSecond, usdPerMegabyte } = prices
const { usdPerMillionInputTokens, usdPerMillionOutputTokens, usdPerImage, usdPerMinute } = prices
const { firstByteMs, idleMs, videoMs, pollMs } = times

/** The models that upstreams of a capability may name. */
type KnownModels = Readonly<Record<Capability, readonly string[]>>

/** Those of a catalogue. A model that is off may have an upstream all the same. */
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

/** Those of the contract. */
const contractModels: KnownModels = listModels(contractCatalogue)

/** The schema of a file of upstreams. */
export function upstreamsSchema(known: KnownModels = contractModels) {
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

export type UpstreamEntry = z.output<ReturnType<typeof upstreamsSchema>>['upstreams'][number]

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
  const { $schema, ...schema } = z.toJSONSchema(upstreamsSchema(), { io: 'input' })
  return { $schema, title: 'Upstreams of a Farebox service', ...schema }
}
