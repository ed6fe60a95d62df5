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
] as const

export type CoveredField = (typeof covered)[number]

/** An entry as SQL. `account` is the name of its account, and a field that is left out is null. */
type EntrySql = Readonly<Partial<Record<CoveredField, string>>> & { readonly account: string; readonly number: string }

/** The hash before the first entry of an account. */
export const firstHash = Buffer.alloc(32)

/** The text of an entry that its hash covers. */
export function contentSql(entry: EntrySql): string {
  return `json_build_array(${covered.map((field) => asText(field, entry[field] ?? 'null')).join(', ')})::text`
}

/** The hash of an entry after the hash `previous`. */
export function hashSql(previous: string, entry: EntrySql): string {
  return `sha256(${previous} || convert_to(${contentSql(entry)}, 'UTF8'))`
}

/** The content of a row of `entry`, which is joined with its account. */
export function contentOfRow(entry: string, account: string): string {
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
  })
}

/** The fields of a content, to read and to change. */
export function readContent(content: string): Record<CoveredField, string | null> {
  const values = JSON.parse(content) as (string | null)[]
  return Object.fromEntries(covered.map((field, place) => [field, values[place] ?? null])) as Record<CoveredField, string | null>
}

/** The content of these fields, as the database writes it. */
export function writeContent(fields: Readonly<Record<CoveredField, string | null>>): string {
  return `[${covered.map((field) => JSON.stringify(fields[field])).join(', ')}]`
}

/** Texts are the same in every session: times are microseconds, and JSON has dates as ISO 8601. */
function asText(field: CoveredField, sql: string): string {
  if (field === 'createdAt') return `(extract(epoch from (${sql})::timestamptz) * 1000000)::bigint::text`
  return field === 'diemDay' ? `(${sql})::date` : `(${sql})::text`
}
