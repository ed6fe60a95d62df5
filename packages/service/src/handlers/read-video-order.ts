import { fileFailure, invalidFields } from '../contract/failures.js'
import type { Services } from '../contract/handler.js'
import { readOrder, type VideoInput } from '../domain/video/read-order.js'

type OrderContext = {
  readonly input: VideoInput
  readonly given: ReadonlySet<string>
  readonly callerId: string
  readonly services: Pick<Services, 'catalogue' | 'media'>
}

/**
 * The order in a request for a video, or the failure that says why there is none. A worker reads a
 * video in the request.
 */
export async function readVideoOrder({ input, given, callerId, services }: OrderContext) {
  try {
    const found = await readOrder(services.catalogue, input, given, (url) =>
      services.media.lengthOfVideo(url, callerId),
    )
    return found.kind === 'order'
      ? found
      : { kind: 'failure' as const, failure: invalidFields(found.faults) }
  } catch (error) {
    return {
      kind: 'failure' as const,
      failure: fileFailure(error, 'video_url', 'MEDIA_READER_OVERLOADED'),
    }
  }
}
