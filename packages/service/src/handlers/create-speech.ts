import { fieldFault, invalidInput, refusal } from '../http/http-error.js'
import { speechModels } from '../domain/models/speech-models.js'
import { mediaTypes, SpeechError, type SpeechRequest } from '../domain/speech/speech-backend.js'
import type { Context, Handler } from '../contract/handler.js'

/** Says a text with a voice of the model. */
export const createSpeech: Handler<'createSpeech'> = async (context) => {
  const { input, client, services } = context
  const { speech } = services
  const model = speechModels.get(input.model)
  if (!model) throw fieldFault('model', `There is no speech model ${input.model}.`)
  const wanted: SpeechRequest = {
    text: input.input,
    model: input.model,
    voice: await voiceOf(context),
    format: input.response_format,
    speed: input.speed,
    streaming: input.streaming,
    // what a model does not take is ignored without a word (interface specification)
    ...(input.language !== undefined && { language: input.language }),
    ...(input.prompt !== undefined && model.supportsPromptParam && { prompt: input.prompt }),
    ...(input.temperature !== undefined && model.supportsTemperatureParam && { temperature: input.temperature }),
    ...(input.top_p !== undefined && model.supportsTopPParam && { topP: input.top_p }),
  }
  return {
    stream: explained(speech.speak(wanted, client.signal)),
    contentType: mediaTypes[wanted.format],
    headers: { 'x-farebox-backend': speech.describe(wanted) },
    modelId: wanted.model,
  }
}

/** A voice of the model, the model's own when none was named, or a handle that the caller made with this model. */
async function voiceOf({ input, given, caller, services }: Context<'createSpeech'>): Promise<string> {
  const { model, voice } = input
  const facts = speechModels.get(model)
  if (!given.has('voice') && facts) return facts.defaultVoice
  if (facts?.voices.includes(voice) === true) return voice
  if (!voice.startsWith('vv_')) throw fieldFault('voice', `${voice} is not a voice of ${model}. GET /models/${model} lists its voices.`)
  const found = caller.kind === 'anonymous' ? undefined : await services.voices.find(caller.account, voice)
  if (found?.model === model) return voice
  throw fieldFault(
    'voice',
    found ? `${voice} was made with ${found.model}.` : `There is no voice ${voice.slice(0, 64)} of yours, or it has expired.`,
  )
}

/** What the backend says of itself, as an answer. */
async function* explained(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    if (!(error instanceof SpeechError)) throw error
    const { code, message, retryAfterSeconds = 5, trouble } = error
    if (code === 'refused') throw invalidInput(message, { _errors: [message] })
    if (code !== 'failed') throw refusal(503, message, 'MODEL_AT_CAPACITY', { 'retry-after': String(retryAfterSeconds) })
    // with trouble the operator has been told whose fault it is; else it is a crash
    throw trouble === undefined ? error : refusal(500, 'An unknown error occurred.', 'UNKNOWN_ERROR')
  }
}
