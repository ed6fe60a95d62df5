import { createHash } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'

/**
 * What the hash of an entry covers, in this order, each as SQL. A hash is that of the bytes of the
 * hash before it, then of the entry: a JSON array of texts. So an entry cannot be changed, moved
 * or left out unless all later hashes are computed again.
 */
const covered = [
  'account',
  'number',
  'id',
  'amount',
  'balanceAfter',
  'type',
  'createdAt',
  'requestId',
  'modelId',
  'diemAmount',
  'diemDay',
  'keyId',
  'refunds',
  'cost',
  'refundedBefore',
  'actor',
  'reason',
] as const

export type CoveredField = (typeof covered)[number]

/** An entry as SQL. `account` is the name of its account, and a field that is left out is null. */
type EntrySql = Readonly<Partial<Record<CoveredField, string>>> & {
  readonly account: string
  readonly number: string
}

/** The hash before the first entry of an account. */
export const firstHash = Buffer.alloc(32)

/** The text of an entry that its hash covers. */
export function contentSql(entry: EntrySql): string {
  return `json_build_array(${covered.map((field) => castToText(field, entry[field] ?? 'null')).join(', ')})::text`
}

/** The hash of an entry after the hash `previous`. */
export function hashSql(previous: string, entry: EntrySql): string {
  return `sha256(${previous} || convert_to(${contentSql(entry)}, 'UTF8'))`
}

/** The content of a row of `entry`, which is joined with its account. */
export function rowContentSql(entry: string, account: string): string {
  return contentSql({
    account: `${account}.name`,
    number: `${entry}.number`,
    id: `${entry}.id`,
    amount: `${entry}.amount`,
    balanceAfter: `${entry}.balance_after`,
    type: `${entry}.type`,
    createdAt: `${entry}.created_at`,
    requestId: `${entry}.request_id`,
    modelId: `${entry}.model_id`,
    diemAmount: `${entry}.diem_amount`,
    diemDay: `${entry}.diem_day`,
    keyId: `${entry}.key_id`,
    refunds: `${entry}.refunds`,
    cost: `${entry}.cost`,
    refundedBefore: `${entry}.refunded_before`,
    actor: `${entry}.actor`,
    reason: `${entry}.reason`,
  })
}

/** The fields of a content, to read and to change. */
export function readContent(content: string): Record<CoveredField, string | null> {
  const values = JSON.parse(content) as (string | null)[]
  return Object.fromEntries(
    covered.map((field, place) => [field, values[place] ?? null]),
  ) as Record<CoveredField, string | null>
}

/** The content of these fields, as the database writes it. */
export function writeContent(fields: Readonly<Record<CoveredField, string | null>>): string {
  return `[${covered.map((field) => JSON.stringify(fields[field])).join(', ')}]`
}

/** Texts are the same in every session: times are microseconds, and JSON has dates as ISO 8601. */
function castToText(field: CoveredField, sql: string): string {
  if (field === 'createdAt')
    return `(extract(epoch from (${sql})::timestamptz) * 1000000)::bigint::text`
  return field === 'diemDay' ? `(${sql})::date` : `(${sql})::text`
}

/** An entry with what its hash covers. */
export type ChainedEntry = {
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  readonly content: string
  readonly hash: Buffer
}

/** Up to where a chain is verified. */
export type Position = {
  readonly accountId: bigint
  readonly number: bigint
  readonly hash: Buffer
}

/** Before the entries of an account, or of all without one. */
export function startPosition(accountId = 0n): Position {
  return { accountId, number: 0n, hash: firstHash }
}

/** The fault of the chain at an entry. `missing`: entries from there to before `number`. */
export type Break = {
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  readonly kind: 'changed' | 'hash changed' | 'missing'
  /** The number before the missing ones. */
  readonly after?: bigint
}

type EntryRow = {
  readonly account_id: bigint
  readonly name: string
  readonly number: bigint
  readonly content: string
  readonly hash: Uint8Array
}

/** Columns of an entry `e` and its account `a`, as `readEntries` takes them. */
export const entryColumns = `e.account_id, a.name, e.number, ${rowContentSql('e', 'a')} as content, e.hash`

/** Runs a statement that returns `entryColumns`. */
export async function readEntries(
  database: Database,
  sql: string,
  params: readonly unknown[],
): Promise<readonly ChainedEntry[]> {
  const rows = await database.query<EntryRow>(sql, params)
  return rows.map(({ account_id: accountId, name: account, number, content, hash }) => {
    return { accountId, account, number, content, hash: Buffer.from(hash) }
  })
}

/** The entries after a position in the order of account and number. */
export function readEntriesAfter(
  database: Database,
  { accountId, number }: Position,
  limit: number,
): Promise<readonly ChainedEntry[]> {
  return readEntries(
    database,
    `select ${entryColumns} from entry e join account a on a.id = e.account_id
     where (e.account_id, e.number) > ($1::bigint, $2::bigint) order by e.account_id, e.number limit $3`,
    [accountId, number, limit],
  )
}

export function hashEntry(previous: Buffer, content: string): Buffer {
  return createHash('sha256').update(previous).update(content).digest()
}

export type ChainVerification = {
  readonly breaks: readonly Break[]
  /** The last entry of each account. */
  readonly ends: readonly Position[]
}

/**
 * Verifies entries in the order of account and number. `before` is where those of an account begin.
 * Goes on with the hash that an entry has, also where it is wrong, so that one change is one break.
 * An entry after a missing one cannot be verified.
 */
export function verifyEntries(
  entries: readonly ChainedEntry[],
  before: (accountId: bigint) => Position,
): ChainVerification {
  const breaks: Break[] = []
  const ends = new Map<bigint, Position>()
  let at = startPosition()
  /** The hash that the entry before should have, where it has another. */
  let computed: Buffer | undefined
  for (const { accountId, account, number, content, hash } of entries) {
    const found = (kind: Break['kind'], more: Partial<Break> = {}) =>
      breaks.push({ accountId, account, number, kind, ...more })
    if (accountId !== at.accountId) {
      at = before(accountId)
      computed = undefined
    }
    const isNext = number === at.number + 1n
    if (!isNext) found('missing', { after: at.number })
    const expected = hashEntry(at.hash, content)
    const last = breaks.at(-1)
    if (!isNext || expected.equals(hash)) computed = undefined
    else if (computed && last && hashEntry(computed, content).equals(hash)) {
      breaks.splice(-1, 1, { ...last, kind: 'hash changed' })
      computed = undefined
    } else {
      found('changed')
      computed = expected
    }
    at = { accountId, number, hash }
    ends.set(accountId, at)
  }
  return { breaks, ends: [...ends.values()] }
}
