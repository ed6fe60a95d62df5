import { toUsd } from '../ledger/money.js'
import { readOrder, videoPrice } from '../video/read-order.js'
import type { Handler } from './handler.js'

/** What a video would cost. */
export const quoteVideo: Handler<'quoteVideo'> = async ({ input, given }) => ({
  json: { quote: toUsd(videoPrice(await readOrder(input, given), input.resolution)) },
})
