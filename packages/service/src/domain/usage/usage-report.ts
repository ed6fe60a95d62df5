import { type Database, type Row, holdRows } from '../../platform/database/database.js'
import { StorageError } from '../../platform/database/storage-error.js'
import { type MicroUsd, toUsd } from '../ledger/money.js'

/** The dimensions by which a report can be grouped. */
export const usageDimensions = ['day', 'key', 'wallet', 'model'] as const
export type UsageDimension = (typeof usageDimensions)[number]

export const usageFormats = ['csv', 'json'] as const
export type UsageFormat = (typeof usageFormats)[number]

/** The entries of a report and their grouping. */
export type UsageQuery = {
  /** The first day in UTC, as YYYY-MM-DD. */
  readonly from: string
  /** The last day in UTC, as YYYY-MM-DD. */
  readonly to: string
  readonly by: readonly UsageDimension[]
}

/** One row of a report. Dimensions that are not grouped by are absent. */
export type UsageRow = {
  /** YYYY-MM-DD, in UTC. */
  readonly day?: string
  /** The id of the API key. Null for wallets and for the administrator's key. */
  readonly key?: string | null
  /** The wallet, or the account that owns the API keys: `key:` with a name. */
  readonly wallet?: string
  /** Null for a request without a model. */
  readonly model?: string | null
  /** Requests that were charged. */
  readonly requests: number
  /** Charges that were given back. */
  readonly refunds: number
  readonly charged: MicroUsd
  readonly refunded: MicroUsd
  /** What of `charged` less `refunded` was paid with daily credit, and not with USD. */
  readonly dailyCredit: MicroUsd
  /** Charges whose cost is unknown. */
  readonly uncosted: number
  /** What the work cost the operator. Null if it is unknown for any entry. */
  readonly cost: MicroUsd | null
  /** `charged` less `refunded` and `cost`. Null if the cost is unknown. */
  readonly margin: MicroUsd | null
}

/** What rows are grouped by. A date groups and sorts in half the time of its text. */
const columns: Readonly<Record<UsageDimension, string>> = {
  day: `(e.created_at at time zone 'UTC')::date`,
  key: `e.key_id::text collate "C"`,
  wallet: `a.name collate "C"`,
  model: `e.model_id collate "C"`,
}

/** A select with one row for each `UsageRow`, in their order. It has no parameters. */
function selectUsage({ from, to, by }: UsageQuery): string {
  const dimensions = usageDimensions.filter((name) => by.includes(name))
  const groups = dimensions.map((name) => columns[name]).join(', ')
  const shown = dimensions.map((name) =>
    name === 'day'
      ? `to_char(${columns.day}, 'YYYY-MM-DD') as day, `
      : `${columns[name]} as "${name}", `,
  )
  return `select ${shown.join('')}${sums}
    from entry e join account a on a.id = e.account_id
    where e.type in ('CHARGE', 'REFUND') and e.created_at >= to_timestamp(${toSeconds(from)}) and e.created_at < to_timestamp(${toSeconds(to) + 86_400})
    ${groups === '' ? 'having count(*) > 0' : `group by ${groups} order by ${groups}`}`
}

const charges = `filter (where e.type = 'CHARGE')`
const refunds = `filter (where e.type = 'REFUND')`
const sums = `count(*) ${charges} as requests, count(*) ${refunds} as refunds,
  coalesce(-sum(e.amount + e.diem_amount) ${charges}, 0)::bigint as charged,
  coalesce(sum(e.amount + e.diem_amount) ${refunds}, 0)::bigint as refunded,
  (-sum(e.diem_amount))::bigint as daily_credit, count(*) filter (where e.type = 'CHARGE' and e.cost is null) as uncosted,
  case when bool_and(e.cost is not null) then sum(e.cost)::bigint end as cost`

/**
 * The start of a day in seconds since 1970, which also names the day after 9999-12-31. Throws a
 * RangeError for any other string, since it becomes part of SQL.
 */
function toSeconds(day: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN
  if (Number.isNaN(time)) throw new RangeError(`Usage: ${day} is not a day`)
  return time / 1000
}

const rowsAtOnce = 1_000

/**
 * The rows of a report from one snapshot of the ledger, sorted by their dimensions. They stay in
 * the database, and this process reads a thousand at a time. On PostgreSQL the database must be one
 * session.
 */
export async function* readUsage(database: Database, query: UsageQuery): AsyncGenerator<UsageRow> {
  const [found] = await database.query(
    `select from pg_attribute where attrelid = to_regclass('entry') and attname = 'cost' and not attisdropped`,
  )
  if (!found) {
    throw new StorageError(
      'The database has no costs of entries, or no ledger. Start this version of the service on it once.',
    )
  }
  const rows = await holdRows(database, [selectUsage(query)])
  try {
    for await (const row of rows.read(0, rowsAtOnce)) yield toUsageRow(row)
  } finally {
    await rows.close()
  }
}

/** Some rows of a report, and whether more follow. */
export async function readUsagePage(
  database: Database,
  query: UsageQuery,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly UsageRow[]; readonly hasMore: boolean }> {
  const rows = await database.query(
    `select * from (${selectUsage(query)}) report limit $1 offset $2`,
    [limit + 1, offset],
  )
  return { rows: rows.slice(0, limit).map(toUsageRow), hasMore: rows.length > limit }
}

function toUsageRow(row: Row): UsageRow {
  const [charged, refunded, cost] = [
    row['charged'] as bigint,
    row['refunded'] as bigint,
    row['cost'] as bigint | null,
  ]
  return {
    ...('day' in row && { day: row['day'] as string }),
    ...('key' in row && { key: row['key'] as string | null }),
    ...('wallet' in row && { wallet: row['wallet'] as string }),
    ...('model' in row && { model: row['model'] as string | null }),
    requests: Number(row['requests']),
    refunds: Number(row['refunds']),
    charged,
    refunded,
    dailyCredit: row['daily_credit'] as bigint,
    uncosted: Number(row['uncosted']),
    cost,
    margin: cost === null ? null : charged - refunded - cost,
  }
}

type Columns = readonly UsageColumn[]
type Rows = AsyncIterable<UsageRow>
type File = AsyncIterable<string>

const writers: Readonly<Record<UsageFormat, (columns: Columns, rows: Rows) => File>> = {
  csv: toCsv,
  json: toJson,
}

/** The file of a report, made row by row as it is read. */
export function formatUsageFile(
  format: UsageFormat,
  by: readonly UsageDimension[],
  rows: Rows,
): File {
  return writers[format](selectColumns(by), rows)
}

/** RFC 4180. A string that a spreadsheet would evaluate is prefixed with an apostrophe. */
async function* toCsv(columns: Columns, rows: Rows): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\r\n`
  for await (const row of rows)
    yield `${columns.map((column) => toCell(column, row)).join(',')}\r\n`
}

function toCell({ kind, of }: UsageColumn, row: UsageRow): string {
  const value = of(row)
  if (value === null) return ''
  if (kind === 'usd') return toDecimal(value as bigint)
  const text = String(value)
  if (kind === 'count') return text
  const inert = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/** With six decimals, and a sign. */
function toDecimal(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** One array, with one row per line. */
async function* toJson(columns: Columns, rows: Rows): AsyncGenerator<string> {
  let before = '['
  for await (const row of rows) {
    const values = columns.map(({ name, kind, of }) => {
      const value = of(row)
      return [name, kind === 'usd' && value !== null ? toUsd(value as bigint) : value]
    })
    yield `${before}\n${JSON.stringify(Object.fromEntries(values))}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** A column of a file: a string, a count, or an amount in whole micro-USD. */
type UsageColumn = {
  readonly name: string
  readonly of: (row: UsageRow) => string | number | bigint | null
} & {
  readonly kind: 'text' | 'count' | 'usd'
}

const figures: readonly UsageColumn[] = [
  { name: 'requests', kind: 'count', of: ({ requests }) => requests },
  { name: 'refunds', kind: 'count', of: ({ refunds }) => refunds },
  { name: 'charged_usd', kind: 'usd', of: ({ charged }) => charged },
  { name: 'refunded_usd', kind: 'usd', of: ({ refunded }) => refunded },
  { name: 'daily_credit_usd', kind: 'usd', of: ({ dailyCredit }) => dailyCredit },
  { name: 'requests_without_cost', kind: 'count', of: ({ uncosted }) => uncosted },
  { name: 'cost_usd', kind: 'usd', of: ({ cost }) => cost },
  { name: 'margin_usd', kind: 'usd', of: ({ margin }) => margin },
]

/** The columns of a report, in their order: those that it is split by come first. */
function selectColumns(by: readonly UsageDimension[]): readonly UsageColumn[] {
  const dimensions = usageDimensions.filter((name) => by.includes(name))
  return [
    ...dimensions.map((name): UsageColumn => ({
      name,
      kind: 'text',
      of: (row) => row[name] ?? null,
    })),
    ...figures,
  ]
}
