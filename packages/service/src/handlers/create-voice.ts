import { doneBefore, fileFailure, invalidField, keyConflict } from '../contract/failures.js'
import type { Handler } from '../contract/handler.js'

/** Makes a handle for a voice, for use with the same model. The recording is not kept. */
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
    return fileFailure(error, 'file', 'MEDIA_READER_OVERLOADED')
  }
  const made = await services.voices.create(
    caller.account,
    model,
    cloning.retentionDays * 86_400_000,
    idempotency,
  )
  if (made.status === 'conflict') return keyConflict()
  if (made.status === 'repeated')
    return doneBefore(
      'made the voice',
      made.id,
      'Use that voice, or another Idempotency-Key for another one.',
    )
  return { status: 200, json: made.voice }
}
