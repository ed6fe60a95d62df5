import { rateLimits } from '@farebox/types/operations'

/** The number of requests, or of tokens, in each Unix second, oldest first. */
export type SlidingWindow = readonly (readonly [second: number, requests: number])[]

/**
 * A request counts for 60 to 61 s: until a window after the end of its second. So no 60 s contain
 * more requests than the limit, and capacity returns on whole seconds, which a header can name.
 */
const countedSeconds = rateLimits.windowSeconds + 1

export function toSecond(now: number): number {
  return Math.floor(now / 1000)
}

/** The first second whose requests still count. */
export function firstCounted(now: number): number {
  return toSecond(now) - countedSeconds + 1
}

export function countRequests(window: SlidingWindow): number {
  let sum = 0
  for (const [, requests] of window) sum += requests
  return sum
}

/** Unix seconds at which `slots` more requests fit, if none comes before. 0 if they fit now. */
export function freeAt(window: SlidingWindow, limit: number, slots: number): number {
  let missing = countRequests(window) + slots - limit
  if (missing <= 0) return 0
  for (const [second, requests] of window) {
    missing -= requests
    if (missing <= 0) return second + countedSeconds
  }
  return 0
}
