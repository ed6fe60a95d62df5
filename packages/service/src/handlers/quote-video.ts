import { toUsd } from '../domain/ledger/money.js'
import { videoPrice } from '../domain/video/read-order.js'
import type { Handler } from '../contract/handler.js'
import { readVideoOrder } from './read-video-order.js'

/** The price of a video. */
export const quoteVideo: Handler<'quoteVideo'> = async (context) => {
  const found = await readVideoOrder(context)
  if (found.kind === 'failure') return found.failure
  return { status: 200, json: { quote: toUsd(videoPrice(found.order, context.input.resolution)) } }
}
