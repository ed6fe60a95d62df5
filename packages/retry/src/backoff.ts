/** Milliseconds to wait after attempt `attempt` (counted from 1) has failed. */
export type Backoff = (attempt: number) => number

export type ExponentialOptions = {
  /** The ceiling after the first attempt, in milliseconds. It doubles with each. Default 250. */
  readonly base?: number
  /** The highest ceiling, in milliseconds. Default 20,000. */
  readonly cap?: number
  /** A number from 0 up to 1, 1 left out. */
  readonly random?: () => number
}

/**
 * Exponential backoff with full jitter: a wait anywhere from a tenth of the ceiling up to it, so that clients that failed together do not
 * come back together. Below the tenth there would be waits of 0 ms, which give a service that is in trouble no time at all.
 */
export function exponential({ base = 250, cap = 20_000, random = Math.random }: ExponentialOptions = {}): Backoff {
  return (attempt) => (0.1 + 0.9 * random()) * Math.min(cap, base * 2 ** (attempt - 1))
}
