import type { Database } from '../../platform/database/database.js'
import { inBatches } from '../ledger/purge.js'

/** How long a response is stored after its request. */
export const responseLifetimeMs = 86_400_000

/** Responses in one statement, since they may be large. */
const most = 50

/** Deletes stored responses after 24 hours. What their requests did is known for longer. */
export async function purgeResponses(database: Database, now: number, batch = most): Promise<void> {
  await inBatches(
    database,
    now,
    batch,
  )(
    'delete from keyed_request where id in (select id from keyed_request where created_at <= $1 order by created_at limit $2)',
    responseLifetimeMs,
  )
}
