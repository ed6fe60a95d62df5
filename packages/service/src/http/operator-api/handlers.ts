import { listAccounts, readAccount, readTotals } from '../../domain/accounts/accounts.js'
import { readMoneyFlow } from '../../domain/ledger/balances.js'
import type { Ledger } from '../../domain/ledger/ledger.js'
import { toUsd } from '../../domain/ledger/money.js'
import { readUsagePage, usageDimensions } from '../../domain/usage/read-usage.js'
import { listJobs } from '../../domain/video/list-jobs.js'
import type { Database } from '../../platform/database/database.js'
import { type OperatorHandlers, type OperatorSources, notFound, invalid } from './handler-types.js'
import { keyHandlers } from './key-handlers.js'
import { entryJson, moneyHandlers } from './money-handlers.js'

const dayMs = 86_400_000

/** Every operation of the operator's API. A missing one does not compile. */
export function operatorHandlers(sources: OperatorSources): OperatorHandlers {
  const { database, ledger, errors, ready, metrics, allowsChanges, now } = sources
  const audit = createAuditReport(ledger, now)
  return {
    ...keyHandlers(sources),
    ...moneyHandlers(sources),

    listAccounts: async (place) => {
      const [found, totals] = await Promise.all([
        listAccounts(database, place, now()),
        readTotals(database),
      ])
      return { ...found, totals }
    },

    getAccount: async ({ account }) => {
      const found = await readAccount(database, account, now())
      if (found === undefined) throw notFound(`account ${account}`)
      return found
    },

    listEntries: async ({ account, limit, offset }) => {
      if (!(await readAccount(database, account, now()))) throw notFound(`account ${account}`)
      const { entries, hasMore } = await ledger.entries(account, { limit, offset })
      return {
        entries: entries.map(entryJson),
        hasMore,
      }
    },

    // whole days, so that the first one is not cut off
    getMoneyFlow: async ({ days }) => {
      const flow = await readMoneyFlow(database, (Math.floor(now() / dayMs) - days + 1) * dayMs)
      return {
        flow: flow.map(({ usd, dailyCredit, ...one }) => ({
          ...one,
          usd: toUsd(usd),
          dailyCredit: toUsd(dailyCredit),
        })),
      }
    },

    listUsage: createUsageReport(database, now),

    listJobs: (filter) => listJobs(database, filter),

    listErrors: async ({ requestId }) => ({
      errors: errors
        .list(requestId)
        .map(({ time, ...error }) => ({ time: new Date(time).toISOString(), ...error })),
    }),

    getAudit: audit,

    getHealth: async () => {
      const [{ ready: isReady, checks }, printed] = await Promise.all([ready(), metrics.print()])
      return {
        ready: isReady,
        checks: { ...checks },
        upstreams: parseSamples(printed, /^farebox_(?:backend|upstream)_\w+(?<!_bucket)$/),
        allowsChanges,
      }
    },
  }
}

/** An audit reads every entry, so its result is kept this long. */
const keptMs = 60_000

type AuditReport = {
  readonly checkedAt: string
  readonly consistent: boolean
  readonly faults: { readonly account: string; readonly fault: string }[]
}

/** Runs one audit at a time, at most once a minute. */
function createAuditReport(
  { audit }: Pick<Ledger, 'audit'>,
  now: () => number,
): () => Promise<AuditReport> {
  let last: { readonly at: number; readonly report: AuditReport } | undefined
  let running: Promise<AuditReport> | undefined
  const run = async () => {
    const at = now()
    const faults = (await audit()).map(({ account, fault }) => ({ account, fault }))
    const report = {
      checkedAt: new Date(at).toISOString(),
      consistent: faults.length === 0,
      faults,
    }
    last = { at, report }
    return report
  }
  return async () => {
    if (last && now() - last.at < keptMs) return last.report
    return (running ??= run().finally(() => {
      running = undefined
    }))
  }
}

/** The handler of `listUsage`. */
function createUsageReport(database: Database, now: () => number): OperatorHandlers['listUsage'] {
  return async ({
    to = toIsoDay(now()),
    from = toIsoDay(Date.parse(to) - 29 * dayMs),
    by,
    limit,
    offset,
  }) => {
    if (from > to)
      throw invalid(`query.from: found ${from}, expected a day that is not after ${to}.`)
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

type Sample = {
  readonly name: string
  readonly labels: Record<string, string>
  readonly value: number
}

/** The samples whose names match, in a text of our own metrics (Prometheus, version 0.0.4). */
export function parseSamples(printed: string, names: RegExp): Sample[] {
  return printed.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return names.test(name) ? [{ name, labels: parseLabels(labels), value: Number(value) }] : []
  })
}

function parseLabels(text: string): Record<string, string> {
  const pairs = text.matchAll(/(?:^|,)(\w+)="((?:[^"\\]|\\.)*)"/g)
  return Object.fromEntries(
    Array.from(pairs, ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, unescaped)]),
  )
}

function unescaped(_match: string, character: string): string {
  return character === 'n' ? '\n' : character
}
