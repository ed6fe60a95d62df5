import { isRecord } from '../../platform/is-record.js'
import type { UpstreamCall } from '../../platform/upstream/route-parts.js'
import type { UpstreamSettings } from '../../platform/upstream/upstream-settings.js'
import { onlyPart, routeInference, type InferenceSources } from '../inference/routed-inference.js'
import { openPost, postForJson } from '../inference/upstream-post.js'
import type { GeneratedImage, ImageBackend, ImageTask } from './image-backend.js'

/** Images of one upstream with OpenAI's `/images/generations`. */
export type UpstreamImage = {
  readonly generate: (task: ImageTask, call: UpstreamCall) => Promise<readonly GeneratedImage[]>
}

export function openImage(
  settings: UpstreamSettings,
  fetch: typeof globalThis.fetch,
): UpstreamImage {
  const post = openPost(settings, '/images/generations', fetch)
  return {
    generate: async (task, call) => {
      const { model, prompt, n, width, height, quality, format, options } = task
      const body = {
        ...options,
        model: settings.modelNames[model] ?? model,
        prompt,
        n,
        size: `${width}x${height}`,
        ...(quality !== undefined && { quality }),
        ...(format !== 'png' && { output_format: format }),
        response_format: 'b64_json',
      }
      const value = await postForJson(post, settings, body, call, (answer) => ({
        model,
        images: readImages(answer).length,
      }))
      const images = readImages(value)
      if (images.length === 0) throw post.failed('answered without an image as b64_json')
      return images.slice(0, n)
    },
  }
}

/**
 * Images of the upstreams that serve the model, or of the local backend while no upstream of images
 * is configured.
 */
export function createRoutedImage(
  sources: InferenceSources<ImageBackend, UpstreamImage>,
): ImageBackend {
  const { backend, local, ask } = routeInference(sources)
  return {
    ...backend,
    get formats() {
      return local()?.formats ?? (['png', 'jpeg', 'webp'] as const)
    },
    generate: async (task, signal) =>
      local()?.generate(task, signal) ??
      onlyPart(
        ask({
          task,
          work: { images: task.n },
          signal,
          ask: async function* (client, call) {
            yield await client.generate(task, call)
          },
          isDelivery: () => false,
        }),
      ),
  }
}

function readImages({ data }: Readonly<Record<string, unknown>>): readonly GeneratedImage[] {
  if (!Array.isArray(data)) return []
  return data.flatMap((one): readonly GeneratedImage[] => {
    if (!isRecord(one) || typeof one['b64_json'] !== 'string') return []
    const bytes = new Uint8Array(Buffer.from(one['b64_json'], 'base64'))
    const { revised_prompt: revisedPrompt } = one
    if (bytes.length === 0) return []
    return [{ bytes, ...(typeof revisedPrompt === 'string' && { revisedPrompt }) }]
  })
}
