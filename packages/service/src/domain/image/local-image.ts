import { testModels } from '../models/test-models.js'
import { createLocalInference, toInferenceError } from '../inference/local-inference.js'
import type { ImageBackend } from './image-backend.js'

/** Cards with the prompt, of the local test model. */
export function createLocalImage(): ImageBackend {
  const { backend, begin } = createLocalInference(testModels.image, (backends, thread) =>
    backends.createLocalImage(thread),
  )
  return {
    ...backend,
    formats: ['png'],
    generate: async (task, signal) => {
      const { generate } = await begin(task)
      try {
        const images = await generate(task, signal)
        return images.map((bytes) => ({ bytes }))
      } catch (error) {
        throw toInferenceError(error)
      }
    },
  }
}
