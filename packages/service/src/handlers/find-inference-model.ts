import { invalidField } from '../contract/failures.js'
import type { InferenceBackend } from '../domain/inference/inference-task.js'

/** A model of a kind that callers can use and the backend serves, or the failure. */
export function findInferenceModel<Model>(
  id: string,
  models: ReadonlyMap<string, Model>,
  backend: InferenceBackend,
  type: 'text' | 'embedding' | 'image' | 'asr',
): { readonly model: Model } | { readonly failure: ReturnType<typeof invalidField> } {
  const model = models.get(id)
  if (model !== undefined && backend.serves(id)) return { model }
  const what = model === undefined ? `has no ${type} model` : 'has no backend for'
  const advice = `GET /models?type=${type} lists those that can be called.`
  return { failure: invalidField('model', `This service ${what} ${id.slice(0, 100)}. ${advice}`) }
}
