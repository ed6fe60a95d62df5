import type { Database } from '../../platform/database/database.js'
import { toMoment } from '../ledger/ledger-types.js'

/** What in an account a search found. */
export type FoundAccount = {
  readonly account: string
  readonly by: 'account' | 'key' | 'charge' | 'request' | 'payment'
  /** The id of the key, of the ledger entry, or of the transaction. Absent for the account itself. */
  readonly id?: string
}

const most = 20
const daysBack = 90

/** `$1` the text, `$2` since when requests are looked for, which no index does. */
const sql = `
  select account, by, id from (
    select 1 as place, a.name as account, 'account' as by, null::text as id from account a
      where starts_with(lower(a.name), lower($1)) or starts_with(lower(a.name), 'key:' || lower($1))
    union all
    select 2, a.name, 'key', k.id::text from api_key k join account a on a.id = k.account_id where starts_with(k.id::text, lower($1))
    union all
    select 3, a.name, 'charge', e.id from entry e join account a on a.id = e.account_id where e.id = $1
    union all
    select 4, a.name, 'request', e.id from entry e join account a on a.id = e.account_id
      where e.request_id = $1 and e.type = 'CHARGE' and e.created_at >= $2::timestamptz
    union all
    select 5, a.name, 'payment', p.transaction_hash from payment p join account a on a.name = p.payer where p.transaction_hash = $1
  ) found order by place, account, id limit ${most}`

/**
 * Accounts by the beginning of their name or of the id of a key of theirs, or by the whole id of a
 * ledger entry, of a request of the last 90 days, or of the transaction of a payment. At most 20.
 */
export async function findAccounts(
  database: Database,
  text: string,
  now: number,
): Promise<readonly FoundAccount[]> {
  const since = toMoment(now - daysBack * 86_400_000).time
  const rows = await database.query<{
    account: string
    by: FoundAccount['by']
    id: string | null
  }>(sql, [text, since])
  return rows.map(({ account, by, id }) => ({ account, by, ...(id !== null && { id }) }))
}
