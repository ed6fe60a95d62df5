import type { Capability } from '../../platform/upstream/upstream-settings.js'
import { speechModels } from './speech-models.js'
import { videoModels } from './video-models.js'

/** What a model does, for reports. A model that is neither for speech nor for video reads texts. */
export function capabilityOf(model: string): Capability {
  return speechModels.has(model) ? 'speech' : videoModels.has(model) ? 'video' : 'text'
}
