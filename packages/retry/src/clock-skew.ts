import { httpDate } from '@farebox/middleware'

/**
 * How far the server's clock is ahead of ours at least, in milliseconds; negative when it is
 * behind; 0 when unknown. Read from the Date of a response that arrived at `received`. Date has
 * one-second resolution and arrives late, so that the real skew is up to about a second larger. A
 * time of the server that is converted with this lower bound is never too early.
 */
export function leastSkew(headers: Headers, received: number): number {
  const skew = headers.has('age') ? NaN : httpDate(headers.get('date')) - received
  // more than a day apart: one of the clocks is wrong, so the difference is ignored
  return Math.abs(skew) < 86_400_000 ? skew : 0
}
