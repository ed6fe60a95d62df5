import type { Database } from '../../platform/database/database.js'
import { contentOfRow } from '../ledger/chain.js'

/** Entries in one statement, during which the account is locked. */
const atOnce = 500

/** How long processes of an older version may run after the migration. */
const olderProcesses = `interval '1 day'`

/**
 * Chains entries without a hash that follow the last one with a hash: those before the migration,
 * and those of processes of an older version, which may run for a day after it. Leaves an account
 * alone that is locked. Returns the number of entries.
 *
 * `$1` account, `$2` entries, `$3` time.
 */
const sql = `
  with a as (
    select id, name, head, head_number, least(head_number + $2::bigint, case
      when $3 < (select applied_at + ${olderProcesses} from migration where name = 'entries chained by hash') then entries
      else coalesce((select unchained from audited_account where account_id = account.id), 0)
    end) as upto
    from account where id = $1 and head_number < entries for no key update skip locked
  ), chained as (
    select e.id, e.account_id, e.number, a.head_number + row_number() over (order by e.number) as expected,
      chain_of(a.head, ${contentOfRow('e', 'a')}) over (order by e.number) as hash
    from a join entry e on e.account_id = a.id and e.number > a.head_number and e.number <= a.upto
  ), written as (
    update entry set hash = chained.hash from chained
    where entry.id = chained.id and chained.number = expected and entry.hash is null returning 1
  )
  update account set head = last.hash, head_number = last.number
  from (select * from chained where number = expected order by number desc limit 1) last
  where account.id = last.account_id returning (select count(*) from written) as count`

export async function chainOlderEntries(database: Database, accountId: bigint, now: number): Promise<number> {
  const [row] = await database.query<{ count: bigint }>(sql, [accountId, atOnce, new Date(now).toISOString()])
  return Number(row?.count ?? 0n)
}
