import { clockOffset } from '@farebox/middleware'

/** The time of the service, estimated from its responses. */
export type Clock = {
  /** Milliseconds since 1970, never more than 15 minutes from our own clock. */
  readonly now: () => number
  /**
   * Updates the offset from the response's Date header, if it is at most 15 minutes from our own
   * clock. If it is further away, returns a description of both times, for the error of a call that
   * the service then rejects.
   */
  readonly learn: (response: Response) => string | undefined
}

/** Date has a resolution of one second and arrives late. A smaller difference is noise. */
const toleranceMs = 5_000

/**
 * A wrong Date must not make us sign a payment for next year. A clock that is further off is set
 * wrong, and a person must correct it.
 */
const maxOffsetMs = 900_000

/**
 * A clock that follows the service's Date header within bounds, so that a client whose own clock is
 * slightly wrong can sign in.
 */
export function createServerClock(now: () => number): Clock {
  let offset = 0
  return {
    now: () => now() + offset,
    learn(response) {
      const local = now()
      const measured = clockOffset(response, local)
      if (Math.abs(measured) > maxOffsetMs)
        return `the service's clock is at ${new Date(local + measured).toISOString()}, ours at ${new Date(local).toISOString()}; set the wrong one`
      if (Math.abs(measured - offset) > toleranceMs) offset = measured
      return undefined
    },
  }
}

/**
 * Returns a function that is true until the time has elapsed by either the wall clock or the
 * monotonic one. The first may be set back, the second may stop while the machine sleeps.
 */
export function isWithin(milliseconds: number, now: () => number): () => boolean {
  const [wall, monotonic] = [now() + milliseconds, performance.now() + milliseconds]
  return () => now() < wall && performance.now() < monotonic
}
