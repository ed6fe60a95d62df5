const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How long upkeep keeps data, in milliseconds. Ledger entries are never deleted. */
export type Retention = {
  /** Responses, from their request, for repeats under an Idempotency-Key. */
  readonly responses: number
  /** Videos, from the moment that they are made. */
  readonly videos: number
  /** What an Idempotency-Key did, from its request; and ended jobs of videos. */
  readonly keys: number
  /** The log of limits that were reached, 50 entries of an account. Undefined: for ever. */
  readonly limitLogs?: number
}

export const defaultRetention: Retention = { responses: dayMs, videos: dayMs, keys: 7 * dayMs }

/** What the contract promises for responses and videos, and the longest that makes sense. */
const retentionBounds = { least: dayMs, most: 3_650 * dayMs }

/** Completes the defaults with what is given. Throws a RangeError for an invalid time. */
export function readRetention(given: Partial<Retention> = {}): Retention {
  const retention = { ...defaultRetention, ...given }
  for (const [name, ms] of Object.entries(retention)) {
    if (ms >= retentionBounds.least && ms <= retentionBounds.most) continue
    throw new RangeError(`keep.${name}: found ${ms / hourMs} hours, expected 24 hours to 3650 days`)
  }
  const { keys, responses, videos } = retention
  if (keys >= Math.max(responses, videos)) return retention
  throw new RangeError(
    `keep.keys: found ${keys / hourMs} hours, expected at least the ${Math.max(responses, videos) / hourMs} hours of responses and videos, which the key finds`,
  )
}
