import { readOrder, type VideoInput } from '../domain/video/read-order.js'
import type { VideoOrder } from '../domain/video/video-backend.js'
import { fileRefusal } from '../contract/file-refusal.js'
import type { Services } from '../contract/handler.js'

type OrderContext = {
  readonly input: VideoInput
  readonly given: ReadonlySet<string>
  readonly callerId: string
  readonly services: Pick<Services, 'media'>
}

/** What a request for a video orders, or a 400. A video that is in the request is read in a worker. */
export function orderIn({ input, given, callerId, services }: OrderContext): Promise<VideoOrder> {
  return readOrder(input, given, async (url) => {
    try {
      return await services.media.lengthOfVideo(url, callerId)
    } catch (error) {
      throw fileRefusal(error, 'video_url', 'MEDIA_READER_OVERLOADED')
    }
  })
}
