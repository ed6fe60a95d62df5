import type { Database } from '../../platform/database/database.js'
import {
  readEntriesAfter,
  startPosition,
  verifyEntries,
  type Break,
  type Position,
  firstHash,
  readContent,
  writeContent,
  type CoveredField,
  entryColumns,
  readEntries,
  hashEntry,
  type ChainedEntry,
} from './chain.js'

/** Accounts in one statement, which takes a moment however many accounts there are. */
const accountsAtOnce = 500

/**
 * Recomputes every account. The balance must be the sum of the entries, which must follow each
 * other without a gap. The held amount must be the sum of the open holds. The daily credit spent
 * must be the sum of the entries and holds of that day. The refunds of a charge must not be more
 * than it. Each entry must have its hash, and the account that of the last one. Empty for a
 * consistent ledger.
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
async function auditChains(database: Database): Promise<readonly LedgerFault[]> {
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
    const entries = await readEntriesAfter(database, begin, entriesAtOnce)
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

type Fields = Readonly<Record<CoveredField, string | null>>

/** Neighbours on each side, whose values and places a changed entry is compared with. */
const neighbours = 200

const types = ['CHARGE', 'REFUND', 'TOP_UP', 'GRANT', 'DEBIT']

/**
 * Names the change at a break. A field is named, with its value before, where a value that the
 * entries around it suggest gives the hash of the entry: this proves it. Undefined for an entry
 * that is as it was, and differs only because the one before it is another (`followsBreak`).
 */
async function explainBreak(
  database: Database,
  found: Break,
  followsBreak: boolean,
): Promise<string | undefined> {
  const { kind, number, after = 0n } = found
  const entry = `entry ${number}`
  if (kind === 'missing') {
    const first = after + 1n
    const missing =
      number - first === 1n
        ? `entry ${first} is missing`
        : `entries ${first} to ${number - 1n} are missing`
    return `${missing}, and ${entry} cannot be verified`
  }
  if (kind === 'hash changed') return `the hash of ${entry} was changed, its content was not`
  const around = await readEntries(
    database,
    `select ${entryColumns} from entry e join account a on a.id = e.account_id
     where e.account_id = $1 and e.number between $2 and $3 order by e.number`,
    [found.accountId, number - BigInt(neighbours), number + BigInt(neighbours)],
  )
  const place = around.findIndex((one) => one.number === number)
  const changed = around[place]
  if (!changed) return `${entry} is missing`
  const { hash, content } = changed
  if (followsBreak && around.some((one) => hashEntry(one.hash, content).equals(hash)))
    return undefined
  return `${entry} (${readContent(changed.content).id}) was changed: ${describeChange(around, place, changed)}`
}

function describeChange(
  around: readonly ChainedEntry[],
  place: number,
  { content, hash, number }: ChainedEntry,
): string {
  const previous = around[place - 1]
  const before = previous?.hash ?? firstHash
  const fields = readContent(content)
  const gives = (fields: Fields, from = before) =>
    hashEntry(from, writeContent(fields)).equals(hash)
  const suggested = suggestValues(fields, previous && readContent(previous.content), around)
  for (const suggestion of suggested) {
    if (gives({ ...fields, ...suggestion })) return describeDifferences(fields, suggestion)
  }
  // it may have been at another place, after the entry that was before it there
  const hashes = [firstHash, ...around.map((one) => one.hash)]
  for (const { number: other } of around) {
    const moved = { ...fields, number: String(other) }
    if (other !== number && hashes.some((one) => gives(moved, one))) return `it was entry ${other}`
  }
  const begins = BigInt(previous ? (readContent(previous.content).balanceAfter ?? 0) : 0)
  if (begins + BigInt(fields.amount ?? 0) !== BigInt(fields.balanceAfter ?? 0))
    return 'its amount, its balance and more do not follow from the entry before it'
  return 'it has another content than its hash; its amount agrees with the balances before and after it'
}

/** Values that the entry may have had before. */
function* suggestValues(
  fields: Fields,
  previous: Fields | undefined,
  around: readonly ChainedEntry[],
): Generator<Partial<Fields>> {
  const others = around.map((one) => readContent(one.content))
  const begins = BigInt(previous?.balanceAfter ?? 0)
  const follows = String(begins + BigInt(fields.amount ?? 0))
  yield { balanceAfter: follows }
  yield { amount: String(BigInt(fields.balanceAfter ?? 0) - begins) }
  const next = others.find(({ number }) => number === String(BigInt(fields.number ?? 0) + 1n))
  if (next) {
    const ends = BigInt(next.balanceAfter ?? 0) - BigInt(next.amount ?? 0)
    yield { balanceAfter: String(ends), amount: String(ends - begins) }
  }
  for (const type of types) yield { type }
  const alike: readonly CoveredField[] = [
    'account',
    'modelId',
    'keyId',
    'cost',
    'diemAmount',
    'diemDay',
    'requestId',
    'refunds',
    'refundedBefore',
    'actor',
    'reason',
    'createdAt',
    'amount',
    'id',
  ]
  for (const field of alike)
    for (const value of new Set([null, '0', ...others.map((one) => one[field])]))
      yield { [field]: value }
}

function describeDifferences(fields: Fields, suggestion: Partial<Fields>): string {
  return Object.entries(suggestion)
    .map(
      ([field, value]) =>
        `${field} is ${fields[field as CoveredField] ?? 'nothing'}, and was ${value ?? 'nothing'}`,
    )
    .join('; ')
}
