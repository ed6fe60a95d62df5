import { clockOffset } from '@farebox/middleware'

/**
 * How far the server's clock is ahead of ours at least, in milliseconds; 0 when unknown. A time of
 * the server that is converted with this lower bound is never too early.
 */
export function leastSkew(response: Response, received: number): number {
  const skew = clockOffset(response, received)
  // more than a day apart: one of the clocks is wrong, so the difference is ignored
  return Math.abs(skew) < 86_400_000 ? skew : 0
}
