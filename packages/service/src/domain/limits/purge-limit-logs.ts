import type { Database } from '../../platform/database/database.js'
import { inBatches } from '../ledger/purge.js'
import { defaultRetention, type Retention } from '../retention.js'

/** Deletes old entries of the log of limits. Without a time they are kept, 50 of each account. */
export async function purgeLimitLogs(database: Database, now: number, { limitLogs }: Retention = defaultRetention): Promise<void> {
  if (limitLogs === undefined) return
  await inBatches(database, now)(
    'delete from rate_limit_log where id in (select id from rate_limit_log where created_at < $1 limit $2)',
    limitLogs,
  )
}
