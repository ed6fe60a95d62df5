import type { Capability } from '../../platform/upstream/upstream-settings.js'
import { textModel } from '../text/text-model.js'
import { speechModelIds } from './speech-models.js'

const speechModels: ReadonlySet<string> = new Set(speechModelIds)

/** What a model does, for reports. An operator adds models to those for video alone. */
export function findCapability(model: string): Capability {
  return speechModels.has(model) ? 'speech' : model === textModel || model === '' ? 'text' : 'video'
}
