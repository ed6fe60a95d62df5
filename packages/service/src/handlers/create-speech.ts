import type { Handler } from '../contract/handler.js'
import { speechPrice } from '../domain/models/catalogue.js'
import { mediaTypes, type SpeechRequest } from '../domain/speech/speech-backend.js'
import { noSpeechModel, findVoice } from './find-voice.js'

/** Speaks a text with a voice of the model. */
export const createSpeech: Handler<'createSpeech'> = async (context) => {
  const { input, callerId, signal, services } = context
  const { speech, catalogue } = services
  const model = catalogue.speechModels.get(input.model)
  if (!model) return noSpeechModel(input.model)
  const voice = await findVoice(context)
  if (typeof voice !== 'string') return voice
  let host: string | undefined
  const wanted: SpeechRequest = {
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
    for await (const part of speech.speak(wanted, signal)) {
      made = part.made
      yield part.bytes
    }
  }
  return {
    status: 200,
    stream: speak(),
    owed: () => speechPrice(model, made),
    contentType: mediaTypes[wanted.format],
    headers: () => ({ 'x-farebox-backend': services.shown(speech.describe(wanted, host)) }),
    modelId: wanted.model,
  }
}
