import type { RateLimitLogEntry } from '@farebox/types'
import type { Database } from '../../platform/database/database.js'
import type { Caller } from '../accounts/authenticate.js'
import type { RateTier } from '../models/catalogue.js'

/** A request over its limit. */
type ExceededLimit = { readonly caller: Caller; readonly rateTier: RateTier }

/** Records when API keys reached a limit. */
export type LimitLog = {
  /** Records nothing for callers without a key. */
  readonly record: (
    exceeded: ExceededLimit,
    rateClass: string,
    type?: 'RPM' | 'TPM',
  ) => Promise<void>
  /** The newest 50 entries of all keys of the account, newest first. */
  readonly latest: (account: string) => Promise<readonly RateLimitLogEntry[]>
}

const maxEntries = 50
/** Stands for the key that the service was started with, which has no id. */
const startKey = 'admin'

export function createLimitLog(database: Database, now: () => number): LimitLog {
  return {
    record: async ({ caller, rateTier }, rateClass, type = 'RPM') => {
      if (caller.kind !== 'key') return
      const time = new Date(now()).toISOString()
      await database.query(
        `with written as (
           insert into rate_limit_log (account_id, key_id, subject, tier, type, created_at)
           select id, $2, $3, $4, $7, $5 from account where name = $1 returning id, account_id
         )
         delete from rate_limit_log using written where rate_limit_log.account_id = written.account_id and rate_limit_log.id <= (
           select id from rate_limit_log old where old.account_id = written.account_id order by id desc offset $6 limit 1
         )`,
        [caller.account, caller.keyId ?? null, rateClass, rateTier, time, maxEntries - 1, type],
      )
    },

    latest: async (account) => {
      const rows = await database.query(
        `select l.* from rate_limit_log l join account a on a.id = l.account_id where a.name = $1 order by l.id desc limit $2`,
        [account, maxEntries],
      )
      return rows.map((row) => ({
        apiKeyId: (row['key_id'] as string | null) ?? startKey,
        modelId: row['subject'] as string,
        rateLimitTier: row['tier'] as string,
        rateLimitType: row['type'] as string,
        timestamp: (row['created_at'] as Date).toISOString(),
      }))
    },
  }
}
