import type { Database } from '../../platform/database/database.js'
import { auditChains, type LedgerFault } from './audit-chains.js'

/**
 * Recomputes every account. The balance must be the sum of the entries, which must follow each
 * other without a gap. The held amount must be the sum of the open holds. The daily credit spent
 * must be the sum of the entries and holds of that day. Each entry must have its hash, and the
 * account that of the last one. Empty for a consistent ledger.
 */
export async function auditLedger(database: Database): Promise<readonly LedgerFault[]> {
  const rows = await database.query<{ id: bigint; name: string; fault: string }>(
    `select a.id, a.name, f.fault from account a
     left join (
       select account_id, sum(amount) as total, count(*) as count, max(number) as last, bool_and(balance_after = running) as chained
       from (select *, sum(amount) over (partition by account_id order by number) as running from entry) e group by account_id
     ) s on s.account_id = a.id
     left join (select account_id, sum(usd) as usd from hold where state = 'held' group by account_id) h on h.account_id = a.id
     cross join lateral (
       select coalesce((select -sum(diem_amount) from entry where account_id = a.id and diem_day = a.diem_day), 0)
         + coalesce((select sum(diem) from hold where account_id = a.id and diem_day = a.diem_day and state = 'held'), 0) as diem
     ) d
     cross join lateral (values
       (a.balance <> coalesce(s.total, 0), 'the balance is ' || a.balance || ', its entries add up to ' || coalesce(s.total, 0)),
       (a.entries <> coalesce(s.count, 0) or a.entries <> coalesce(s.last, 0),
         a.entries || ' entries are counted, ' || coalesce(s.count, 0) || ' are there, the last is number ' || coalesce(s.last, 0)),
       (not coalesce(s.chained, true), 'an entry does not follow from the one before it'),
       (a.head_number > 0 and a.head is distinct from (select hash from entry where account_id = a.id and number = a.head_number),
         'its hash is not that of entry ' || a.head_number),
       (a.held <> coalesce(h.usd, 0), a.held || ' is held, its holds add up to ' || coalesce(h.usd, 0)),
       (a.diem_day is not null and a.diem_spent <> d.diem,
         a.diem_spent || ' of the daily credit is spent, entries and holds of the day add up to ' || d.diem)
     ) f (wrong, fault)
     where f.wrong order by a.name, f.fault`,
  )
  const accounts = rows.map(({ id, name, fault }) => ({ accountId: id, account: name, number: 0n, fault }))
  return [...accounts, ...(await auditChains(database))]
}
