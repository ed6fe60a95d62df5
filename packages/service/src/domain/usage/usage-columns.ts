import { usageDimensions, type UsageDimension, type UsageRow } from './usage-query.js'

/** A column of a file: a text, a number of things, or an amount in whole micro-USD. */
export type UsageColumn = { readonly name: string; readonly of: (row: UsageRow) => string | number | bigint | null } & {
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
export function selectColumns(by: readonly UsageDimension[]): readonly UsageColumn[] {
  const dimensions = usageDimensions.filter((name) => by.includes(name))
  return [...dimensions.map((name): UsageColumn => ({ name, kind: 'text', of: (row) => row[name] ?? null })), ...figures]
}
