import { listAccounts, readAccount, readTotals } from '../../domain/accounts/list-accounts.js'
import { readMoneyFlow } from '../../domain/ledger/money-flow.js'
import { toUsd } from '../../domain/ledger/money.js'
import { listJobs } from '../../domain/video/list-jobs.js'
import { createAuditReport } from './audit-report.js'
import { keyHandlers } from './key-handlers.js'
import type { OperatorHandlers, OperatorSources } from './handler-types.js'
import { createUsageReport } from './usage-report.js'
import { notFound } from './refusal.js'
import { parseSamples } from './samples.js'

const dayMs = 86_400_000

/** Every operation of the operator's API. A missing one does not compile. */
export function operatorHandlers(sources: OperatorSources): OperatorHandlers {
  const { database, ledger, errors, ready, metrics, allowsChanges, now } = sources
  const audit = createAuditReport(ledger, now)
  return {
    ...keyHandlers(sources),

    listAccounts: async (place) => {
      const [found, totals] = await Promise.all([listAccounts(database, place, now()), readTotals(database)])
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
        entries: entries.map(({ amount, balanceAfter, createdAt, ...entry }) => ({
          ...entry,
          amount: toUsd(amount),
          balanceAfter: toUsd(balanceAfter),
          createdAt: createdAt.toISOString(),
        })),
        hasMore,
      }
    },

    // whole days, so that the first one is not cut off
    getMoneyFlow: async ({ days }) => {
      const flow = await readMoneyFlow(database, (Math.floor(now() / dayMs) - days + 1) * dayMs)
      return { flow: flow.map(({ usd, dailyCredit, ...one }) => ({ ...one, usd: toUsd(usd), dailyCredit: toUsd(dailyCredit) })) }
    },

    listUsage: createUsageReport(database, now),

    listJobs: (filter) => listJobs(database, filter),

    listErrors: async ({ requestId }) => ({
      errors: errors.list(requestId).map(({ time, ...error }) => ({ time: new Date(time).toISOString(), ...error })),
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
