import type { Capability } from '../../platform/upstream/upstream-settings.js'
import { textModel } from '../text/text-model.js'
import type { Catalogue } from './catalogue.js'

/** What a model does, for reports. */
export function findCapability({ settings }: Catalogue, model: string): Capability {
  if (model === textModel || model === '') return 'text'
  if (Object.hasOwn(settings.speech, model)) return 'speech'
  if (Object.hasOwn(settings.text, model)) return 'chat'
  for (const kind of ['embedding', 'image', 'transcription'] as const)
    if (Object.hasOwn(settings[kind], model)) return kind
  return 'video'
}
