import { invalidField } from '../contract/failures.js'
import type { Context } from '../contract/handler.js'

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
  if (!facts) return noSpeechModel(model)
  if (!given.has('voice')) return facts.defaultVoice
  if (facts.voices.includes(voice)) return voice
  if (!voice.startsWith('vv_'))
    return invalidField(
      'voice',
      `${voice} is not a voice of ${model}. GET /models/${model} lists its voices.`,
    )
  const found = await services.voices.find(caller.account, voice)
  if (found?.model === model) return voice
  return invalidField(
    'voice',
    found
      ? `${voice} was made with ${found.model}.`
      : `There is no voice ${voice.slice(0, 64)} of yours, or it has expired.`,
  )
}

/** For a model that the contract has and this service has switched off. */
export function noSpeechModel(model: string) {
  return invalidField(
    'model',
    `This service has no model ${model}. GET /models?type=tts lists its speech models.`,
  )
}
