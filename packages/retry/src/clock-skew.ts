import { httpDate } from '@farebox/middleware'

/**
 * How far the server's clock is ahead of ours at least, in milliseconds (below zero when it is behind), by the Date of an answer that came
 * at `received`. Date counts whole seconds and is as old as the answer's way here, so that the truth lies between this and about a second
 * more; 0 where it is not told. A moment of the server's that is moved to our clock with the least skew is never too early.
 */
export function leastSkew(headers: Headers, received: number): number {
  const skew = headers.has('age') ? NaN : httpDate(headers.get('date')) - received
  // a difference of more than a day is no skew, but one of the two does not tell the time at all
  return Math.abs(skew) < 86_400_000 ? skew : 0
}
