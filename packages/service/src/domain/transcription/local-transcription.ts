import { testModels } from '../models/test-models.js'
import { createLocalInference, toInferenceError } from '../inference/local-inference.js'
import type { TranscriptionBackend } from './transcription-backend.js'

/** Times of sound and silence, of the local test model. */
export function createLocalTranscription(): TranscriptionBackend {
  const { backend, begin } = createLocalInference(testModels.transcription, (backends, thread) =>
    backends.createLocalTranscription(thread),
  )
  return {
    ...backend,
    transcribe: async (task, signal) => {
      const { transcribe } = await begin(task)
      try {
        return await transcribe(task, signal)
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}
