import { toUsd } from '../../domain/ledger/money.js'
import { readUsagePage } from '../../domain/usage/read-usage.js'
import { usageDimensions } from '../../domain/usage/usage-query.js'
import type { Database } from '../../platform/database/database.js'
import type { OperatorHandlers } from './handler-types.js'
import { invalid } from './refusal.js'

const dayMs = 86_400_000

/** The handler of `listUsage`. */
export function createUsageReport(database: Database, now: () => number): OperatorHandlers['listUsage'] {
  return async ({ to = toIsoDay(now()), from = toIsoDay(Date.parse(to) - 29 * dayMs), by, limit, offset }) => {
    if (from > to) throw invalid(`query.from: found ${from}, expected a day that is not after ${to}.`)
    const names = by.split(',')
    const query = { from, to, by: usageDimensions.filter((name) => names.includes(name)) }
    const { rows, hasMore } = await readUsagePage(database, query, { limit, offset })
    const usage = rows.map(({ charged, refunded, dailyCredit, cost, margin, ...row }) => ({
      ...row,
      charged: toUsd(charged),
      refunded: toUsd(refunded),
      dailyCredit: toUsd(dailyCredit),
      cost: cost === null ? null : toUsd(cost),
      margin: margin === null ? null : toUsd(margin),
    }))
    return { usage, hasMore }
  }
}

function toIsoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
