import type { Database } from '../../platform/database/database.js'
import { inBatches } from '../ledger/purge.js'
import { defaultRetention, type Retention } from '../retention.js'

/** Responses in one statement, since they may be large. */
const most = 50

/** Deletes old stored responses. What their requests did is known for longer. */
export async function purgeResponses(
  database: Database,
  now: number,
  { responses }: Retention = defaultRetention,
  batch = most,
): Promise<void> {
  await inBatches(
    database,
    now,
    batch,
  )('delete from keyed_request where id in (select id from keyed_request where created_at <= $1 order by created_at limit $2)', responses)
}
