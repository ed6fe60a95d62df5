import type { Database } from '../../platform/database/database.js'
import { explainBreak } from './explain-break.js'
import { entriesAfter, startPosition, verifyEntries, type Break, type Position } from './chain.js'

/** Accounts in one statement, which takes a moment however many accounts there are. */
const accountsAtOnce = 500

/**
 * Recomputes every account. The balance must be the sum of the entries, which must follow each
 * other without a gap. The held amount must be the sum of the open holds. The daily credit spent
 * must be the sum of the entries and holds of that day. The refunds of a charge must not be more than
 * it. Each entry must have its hash, and the
 * account that of the last one. Empty for a consistent ledger.
 */
export async function auditLedger(database: Database): Promise<readonly LedgerFault[]> {
  const faults: LedgerFault[] = []
  for (let after = 0n; ;) {
    const [page] = await database.query<{ last: bigint | null }>(
      'select max(id) as last from (select id from account where id > $1 order by id limit $2) page',
      [after, accountsAtOnce],
    )
    if (!page?.last) break
    const rows = await database.query<{ id: bigint; name: string; fault: string }>(
      auditOfAccounts,
      [after, page.last],
    )
    faults.push(
      ...rows.map(({ id, name, fault }) => ({ accountId: id, account: name, number: 0n, fault })),
    )
    after = page.last
  }
  faults.sort(
    (one, other) => compare(one.account, other.account) || compare(one.fault, other.fault),
  )
  return [...faults, ...(await auditChains(database))]
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/**
 * The sums are grouped. A subquery for each account would read all rows of holds again, also those
 * of closed holds that no vacuum has removed.
 */
const auditOfAccounts = `with a as materialized (select * from account where id > $1 and id <= $2),
  s as materialized (
    select account_id, sum(amount) as total, count(*) as count, max(number) as last, bool_and(balance_after = running) as chained,
      sum(spent) as spent
    from (
      select e.account_id, e.number, e.amount, e.balance_after, case when e.diem_day = a.diem_day then -e.diem_amount end as spent,
        sum(e.amount) over (partition by e.account_id order by e.number) as running
      from a join entry e on e.account_id = a.id
    ) e group by account_id
  ),
  r as materialized (
    select c.account_id, min(c.id) as charge, count(*) as count
    from (
      select refunds, sum(r.amount + r.diem_amount) as given from a join entry r on r.account_id = a.id where refunds is not null group by refunds
    ) r left join entry c on c.id = r.refunds and c.type = 'CHARGE'
    where given > -c.amount - c.diem_amount group by c.account_id
  ),
  h as materialized (
    select a.id as account_id, sum(usd) as usd, sum(diem) filter (where hold.diem_day = a.diem_day) as diem
    from a join hold on hold.account_id = a.id where state = 'held' group by a.id
  )
select a.id, a.name, f.fault from a left join s on s.account_id = a.id left join h on h.account_id = a.id left join r on r.account_id = a.id
cross join lateral (values
  (a.balance <> coalesce(s.total, 0), 'the balance is ' || a.balance || ', its entries add up to ' || coalesce(s.total, 0)),
  (a.entries <> coalesce(s.count, 0) or a.entries <> coalesce(s.last, 0),
    a.entries || ' entries are counted, ' || coalesce(s.count, 0) || ' are there, the last is number ' || coalesce(s.last, 0)),
  (not coalesce(s.chained, true), 'an entry does not follow from the one before it'),
  (a.entries > 0 and a.head is distinct from (select hash from entry where account_id = a.id and number = a.entries),
    'its hash is not that of entry ' || a.entries),
  (r.count > 0, r.count || ' charges have refunds of more than was charged, the first is ' || r.charge),
  (a.held <> coalesce(h.usd, 0), a.held || ' is held, its holds add up to ' || coalesce(h.usd, 0)),
  (a.diem_day is not null and a.diem_spent <> coalesce(s.spent, 0) + coalesce(h.diem, 0),
    a.diem_spent || ' of the daily credit is spent, entries and holds of the day add up to ' || coalesce(s.spent, 0) + coalesce(h.diem, 0))
) f (wrong, fault)
where f.wrong`

/** Entries in one statement, which takes a few milliseconds. */
export const entriesAtOnce = 500

/** Faults that are explained, each with statements of its own; further ones are only counted. */
const most = 100

/** What does not agree in the ledger: at an entry, or at the account itself (`number` 0). */
export type LedgerFault = {
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  readonly fault: string
}

/** Verifies the hashes of all entries, in steps that do not block other work. */
export async function auditChains(database: Database): Promise<readonly LedgerFault[]> {
  const { breaks } = await walkChains(database, startPosition(), Infinity)
  return explainBreaks(database, breaks)
}

/**
 * Verifies up to `most` entries after a position. `to` is the last of them, and undefined after the
 * last entry of all.
 */
export async function walkChains(
  database: Database,
  from: Position,
  most: number,
): Promise<{
  readonly breaks: readonly Break[]
  readonly to: Position | undefined
  readonly count: number
}> {
  const breaks: Break[] = []
  let to = from
  let count = 0
  while (count < most) {
    const begin = to
    const entries = await entriesAfter(database, begin, entriesAtOnce)
    const verified = verifyEntries(entries, (accountId) =>
      accountId === begin.accountId ? begin : startPosition(accountId),
    )
    breaks.push(...verified.breaks)
    count += entries.length
    to = verified.ends.at(-1) ?? begin
    if (entries.length < entriesAtOnce) return { breaks, to: undefined, count }
  }
  return { breaks, to, count }
}

export async function explainBreaks(
  database: Database,
  breaks: readonly Break[],
): Promise<readonly LedgerFault[]> {
  const faults: LedgerFault[] = []
  for (const found of breaks.slice(0, most)) {
    const { accountId, account, number } = found
    const followsBreak = breaks.some(
      (one) => one.accountId === accountId && one.number === number - 1n,
    )
    const fault = await explainBreak(database, found, followsBreak)
    if (fault !== undefined) faults.push({ accountId, account, number, fault })
  }
  const last = breaks[most]
  if (last)
    faults.push({
      ...last,
      fault: `${breaks.length - most} more entries do not agree with their hashes`,
    })
  return faults
}
