import { rateLimits } from '@farebox/types/operations'

/** Requests by the whole second (since 1970) that they came in, oldest first. */
export type SlidingWindow = readonly (readonly [second: number, requests: number])[]

/**
 * A request counts from its second until a window after that second is over: 60 to 61 s. So no 60 s hold more than the limit, whatever the
 * caller does at whatever border, and a place becomes free on a whole second, which is what a header can say.
 */
const countedSeconds = rateLimits.windowSeconds + 1

export function secondOf(now: number): number {
  return Math.floor(now / 1000)
}

/** The first second whose requests still count. */
export function firstCounted(now: number): number {
  return secondOf(now) - countedSeconds + 1
}

export function requestsIn(window: SlidingWindow): number {
  let sum = 0
  for (const [, requests] of window) sum += requests
  return sum
}

/** Unix seconds at which `places` of the limit are free if no request comes before; in the past where they are free already. */
export function freeAt(window: SlidingWindow, limit: number, places: number): number {
  let missing = requestsIn(window) + places - limit
  if (missing <= 0) return 0
  for (const [second, requests] of window) {
    missing -= requests
    if (missing <= 0) return second + countedSeconds
  }
  return 0
}
