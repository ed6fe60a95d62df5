import { failure } from '../contract/failures.js'

/** For a model that no backend of this service serves at the moment. */
export function unserved(model: string) {
  return failure(503, `No backend serves ${model.slice(0, 100)} here.`, 'MODEL_NOT_SERVED', {
    'retry-after': '60',
  })
}
