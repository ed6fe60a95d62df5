import type { Handler, Context } from '../contract/handler.js'
import { priceSpeech } from '../domain/models/catalogue.js'
import { mediaTypes, type SpeechRequest } from '../domain/speech/speech-backend.js'
import {
  invalidField,
  responseNotStored,
  toFileFailure,
  idempotencyConflict,
} from '../contract/failures.js'

/** Speaks a text with a voice of the model. */
export const createSpeech: Handler<'createSpeech'> = async (context) => {
  const { input, callerId, signal, services } = context
  const { speech, catalogue } = services
  const model = catalogue.speechModels.get(input.model)
  if (!model) return unknownSpeechModel(input.model)
  const voice = await findVoice(context)
  if (typeof voice !== 'string') return voice
  let host: string | undefined
  const order: SpeechRequest = {
    text: input.input,
    caller: callerId,
    model: input.model,
    voice,
    format: input.response_format,
    speed: input.speed,
    streaming: input.streaming,
    // parameters that a model does not support are ignored (interface specification)
    onServed: (call) => (host = call.host),
    cost: context.cost,
    ...(input.language !== undefined && { language: input.language }),
    ...(input.prompt !== undefined && model.supportsPromptParam && { prompt: input.prompt }),
    ...(input.temperature !== undefined &&
      model.supportsTemperatureParam && { temperature: input.temperature }),
    ...(input.top_p !== undefined && model.supportsTopPParam && { topP: input.top_p }),
  }
  let made = 0
  const speak = async function* () {
    for await (const part of speech.speak(order, signal)) {
      made = part.made
      yield part.bytes
    }
  }
  return {
    status: 200,
    stream: speak(),
    inOnePiece: !input.streaming,
    owed: () => priceSpeech(model, made),
    contentType: mediaTypes[order.format],
    headers: () => ({ 'x-farebox-backend': services.shown(speech.describe(order, host)) }),
    modelId: order.model,
  }
}

/**
 * A voice of the model, its default voice when the request names none, or a voice that the caller
 * cloned with this model.
 */
export async function findVoice({
  input,
  given,
  caller,
  services,
}: Omit<Context<'createSpeech'>, 'order'>): Promise<string | ReturnType<typeof invalidField>> {
  const { model, voice } = input
  const facts = services.catalogue.speechModels.get(model)
  if (!facts) return unknownSpeechModel(model)
  if (!given.has('voice')) return facts.defaultVoice
  if (facts.voices.includes(voice)) return voice
  if (!voice.startsWith('vv_'))
    return invalidField(
      'voice',
      `${voice} is not a voice of ${model}. GET /models/${model} lists its voices.`,
    )
  const ownVoice = await services.voices.find(caller.account, voice)
  if (ownVoice?.model === model) return voice
  return invalidField(
    'voice',
    ownVoice
      ? `${voice} was made with ${ownVoice.model}.`
      : `There is no voice ${voice.slice(0, 64)} of yours, or it has expired.`,
  )
}

/** For a model of the contract that this service has switched off. */
export function unknownSpeechModel(model: string) {
  return invalidField(
    'model',
    `This service has no model ${model}. GET /models?type=tts lists its speech models.`,
  )
}

/** Creates a handle for a voice, for use with the same model. The recording is not kept. */
export const createVoice: Handler<'createVoice'> = async ({
  input,
  caller,
  callerId,
  idempotency,
  services,
}) => {
  const { file, model } = input
  if (!(file instanceof Uint8Array)) return invalidField('file', 'Expected a file, found a string.')
  const { speechModels } = services.catalogue
  const cloning = speechModels.get(model)?.cloning
  if (!cloning) {
    const able = [...speechModels.values()].filter((one) => one.cloning).map(({ id }) => id)
    return invalidField(
      'model',
      `${model} does not learn voices here; ${able.length === 0 ? 'no model does' : `use ${able.join(' or ')}`}.`,
    )
  }
  try {
    const fault = await services.media.checkRecording(file, cloning, callerId)
    if (fault) return invalidField('file', fault.message)
  } catch (error) {
    return toFileFailure(error, 'file', 'MEDIA_READER_OVERLOADED')
  }
  const voice = await services.voices.create(
    caller.account,
    model,
    cloning.retentionDays * 86_400_000,
    idempotency,
  )
  if (voice.status === 'conflict') return idempotencyConflict()
  if (voice.status === 'repeated')
    return responseNotStored(
      'made the voice',
      voice.id,
      'Use that voice, or another Idempotency-Key for another one.',
    )
  return { status: 200, json: voice.voice }
}
