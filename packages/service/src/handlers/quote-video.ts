import { toUsd } from '../domain/ledger/money.js'
import { videoPrice } from '../domain/video/read-order.js'
import type { Handler } from '../contract/handler.js'
import { orderIn } from './order-in.js'

/** What a video would cost. */
export const quoteVideo: Handler<'quoteVideo'> = async (context) => ({
  json: { quote: toUsd(videoPrice(await orderIn(context), context.input.resolution)) },
})
