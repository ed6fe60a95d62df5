/** Milliseconds to wait after attempt `attempt` (counted from 1) has failed. */
export type Backoff = (attempt: number) => number

export type ExponentialOptions = {
  /** The ceiling after the first attempt, in milliseconds. It doubles with each. Default 250. */
  readonly base?: number
  /** The highest ceiling, in milliseconds. Default 20,000. */
  readonly cap?: number
  /** A number in [0, 1). */
  readonly random?: () => number
}

/**
 * Exponential backoff with full jitter: a random wait between a tenth of the ceiling and the
 * ceiling. Clients that failed together do not retry together. The lower bound avoids waits of
 * 0 ms, which give a failing service no time to recover.
 *
 * @example
 * ```ts
 * retry({ backoff: exponential({ base: 100, cap: 5_000 }) })
 * ```
 */
export function exponential({
  base = 250,
  cap = 20_000,
  random = Math.random,
}: ExponentialOptions = {}): Backoff {
  return (attempt) => (0.1 + 0.9 * random()) * Math.min(cap, base * 2 ** (attempt - 1))
}
