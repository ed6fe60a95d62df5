import { fileFailure, invalidField, keyConflict } from '../contract/failures.js'
import { fingerprintOf } from '../domain/ledger/fingerprint.js'
import { speechModels } from '../domain/models/speech-models.js'
import type { Handler } from '../contract/handler.js'

/** Makes a handle for a voice, for use with the same model. The recording is not kept. */
export const createVoice: Handler<'createVoice'> = async ({ input, caller, callerId, headers, services }) => {
  const { file, model } = input
  if (!(file instanceof Uint8Array)) return invalidField('file', 'Expected a file, found a text.')
  const cloning = speechModels.get(model)?.cloning
  if (!cloning) {
    const able = [...speechModels.values()].filter((one) => one.cloning).map(({ id }) => id)
    return invalidField('model', `${model} does not learn voices; ${able.join(' and ')} do.`)
  }
  try {
    const fault = await services.media.checkRecording(file, cloning, callerId)
    if (fault) return invalidField('file', fault.message)
  } catch (error) {
    return fileFailure(error, 'file', 'MEDIA_READER_OVERLOADED')
  }
  const key = headers.get('idempotency-key')
  const once = key === null ? undefined : { key, fingerprint: fingerprintOf(input) }
  const made = await services.voices.create(caller.account, model, cloning.retentionDays * 86_400_000, once)
  if (!made) return keyConflict()
  return { status: 200, json: made.voice, ...(!made.isNew && { headers: { 'idempotent-replayed': 'true' } }) }
}
