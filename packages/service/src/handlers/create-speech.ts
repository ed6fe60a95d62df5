import { invalidField } from '../contract/failures.js'
import { speechModels } from '../domain/models/speech-models.js'
import { mediaTypes, type SpeechRequest } from '../domain/speech/speech-backend.js'
import type { Context, Handler } from '../contract/handler.js'

/** Speaks a text with a voice of the model. */
export const createSpeech: Handler<'createSpeech'> = async (context) => {
  const { input, signal, services } = context
  const { speech } = services
  const model = speechModels.get(input.model)
  if (!model) return invalidField('model', `There is no speech model ${input.model}.`)
  const voice = await voiceOf(context)
  if (typeof voice !== 'string') return voice
  const wanted: SpeechRequest = {
    text: input.input,
    model: input.model,
    voice,
    format: input.response_format,
    speed: input.speed,
    streaming: input.streaming,
    // parameters that a model does not support are ignored (interface specification)
    ...(input.language !== undefined && { language: input.language }),
    ...(input.prompt !== undefined && model.supportsPromptParam && { prompt: input.prompt }),
    ...(input.temperature !== undefined && model.supportsTemperatureParam && { temperature: input.temperature }),
    ...(input.top_p !== undefined && model.supportsTopPParam && { topP: input.top_p }),
  }
  return {
    status: 200,
    stream: speech.speak(wanted, signal),
    contentType: mediaTypes[wanted.format],
    headers: { 'x-farebox-backend': speech.describe(wanted) },
    modelId: wanted.model,
  }
}

/**
 * A voice of the model, its default voice when the request names none, or a voice that the caller
 * cloned with this model.
 */
async function voiceOf({ input, given, caller, services }: Context<'createSpeech'>): Promise<string | ReturnType<typeof invalidField>> {
  const { model, voice } = input
  const facts = speechModels.get(model)
  if (!given.has('voice') && facts) return facts.defaultVoice
  if (facts?.voices.includes(voice) === true) return voice
  if (!voice.startsWith('vv_')) return invalidField('voice', `${voice} is not a voice of ${model}. GET /models/${model} lists its voices.`)
  const found = await services.voices.find(caller.account, voice)
  if (found?.model === model) return voice
  return invalidField(
    'voice',
    found ? `${voice} was made with ${found.model}.` : `There is no voice ${voice.slice(0, 64)} of yours, or it has expired.`,
  )
}
