import { clockOffset } from '@farebox/middleware'

/** The time of the service, estimated from its responses. */
export type Clock = {
  /** Milliseconds since 1970, never more than 15 minutes from our own clock. */
  readonly now: () => number
  /**
   * Updates the offset from the response's Date header, if it is at most 15 minutes from our own
   * clock. If it is further away, returns a text with both times, for the error of a call that the
   * service then refuses.
   */
  readonly learn: (response: Response) => string | undefined
}

/** Date counts whole seconds and arrives late. A smaller difference is noise. */
const tolerance = 5_000

/**
 * A false Date must not make us sign a payment for next year. A real clock that is further off is
 * set wrong, and a person has to set it.
 */
const mostOffset = 900_000

/**
 * A clock that follows the service's Date header within bounds, so that a client whose own clock is
 * slightly wrong can sign in.
 */
export function serverClock(now: () => number): Clock {
  let offset = 0
  return {
    now: () => now() + offset,
    learn(response) {
      const own = now()
      const found = clockOffset(response, own)
      if (Math.abs(found) > mostOffset)
        return `the service's clock is at ${new Date(own + found).toISOString()}, ours at ${new Date(own).toISOString()}; set the wrong one`
      if (Math.abs(found - offset) > tolerance) offset = found
      return undefined
    },
  }
}

/**
 * Whether so many milliseconds have not passed yet, by the wall clock and by the monotonic one. The
 * first may be set back, the second may stand still while the machine sleeps.
 */
export function lasting(milliseconds: number, now: () => number): () => boolean {
  const [wall, monotonic] = [now() + milliseconds, performance.now() + milliseconds]
  return () => now() < wall && performance.now() < monotonic
}
