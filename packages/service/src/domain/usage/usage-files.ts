import { toUsd } from '../ledger/money.js'
import {
  type UsageDimension,
  type UsageFormat,
  type UsageRow,
  usageDimensions,
} from './read-usage.js'

type Columns = readonly UsageColumn[]
type Rows = AsyncIterable<UsageRow>
type File = AsyncIterable<string>

const writers: Readonly<Record<UsageFormat, (columns: Columns, rows: Rows) => File>> = {
  csv: toCsv,
  json: toJson,
}

/** The file of a report, made row by row as it is read. */
export function usageFile(format: UsageFormat, by: readonly UsageDimension[], rows: Rows): File {
  return writers[format](selectColumns(by), rows)
}

/** RFC 4180. A text that a spreadsheet would compute begins with an apostrophe. */
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

/** One array, with a row a line. */
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

/** A column of a file: a text, a number of things, or an amount in whole micro-USD. */
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
