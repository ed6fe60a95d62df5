import { fingerprintOf } from '../http/billing.js'
import { fieldFault, keyConflict } from '../http/http-error.js'
import { speechModels } from '../domain/models/speech-models.js'
import { fileRefusal } from '../contract/file-refusal.js'
import type { Handler } from '../contract/handler.js'

/** A handle for a voice, to be used with the model that it was made for. Of the recording nothing is kept. */
export const createVoice: Handler<'createVoice'> = async ({ input, caller, callerId, request, services }) => {
  const { file, model } = input
  if (!(file instanceof Uint8Array)) throw fieldFault('file', 'Expected a file, found a text.')
  const cloning = speechModels.get(model)?.cloning
  if (!cloning) {
    const able = [...speechModels.values()].filter((one) => one.cloning).map(({ id }) => id)
    throw fieldFault('model', `${model} does not learn voices; ${able.join(' and ')} do.`)
  }
  const fault = await services.media.checkRecording(file, cloning, callerId).catch((error: unknown) => {
    throw fileRefusal(error, 'file', 'MEDIA_READER_OVERLOADED')
  })
  if (fault) throw fieldFault('file', fault.message)
  if (caller.kind === 'anonymous') throw new Error('createVoice was reached without a caller')
  const key = request.headers.get('idempotency-key')
  const once = key === null ? undefined : { key, fingerprint: fingerprintOf(input) }
  const made = await services.voices.create(caller.account, model, cloning.retentionDays * 86_400_000, once)
  if (!made) throw keyConflict()
  return { json: made.voice, ...(!made.isNew && { headers: { 'idempotent-replayed': 'true' } }) }
}
