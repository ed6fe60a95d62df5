import { fileFailure, invalidFields } from '../contract/failures.js'
import type { Services, Handler } from '../contract/handler.js'
import { toUsd } from '../domain/ledger/money.js'
import { readOrder, type VideoInput, videoPrice } from '../domain/video/read-order.js'

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

/** The price of a video. */
export const quoteVideo: Handler<'quoteVideo'> = async (context) => {
  const found = await readVideoOrder(context)
  if (found.kind === 'failure') return found.failure
  return { status: 200, json: { quote: toUsd(videoPrice(found.order, context.input.resolution)) } }
}
