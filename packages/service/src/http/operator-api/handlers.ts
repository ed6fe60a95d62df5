import {
  accountNameForm,
  isAccountName,
  listAccounts,
  readAccount,
  readTotals,
} from '../../domain/accounts/accounts.js'
import { readMoneyFlow } from '../../domain/ledger/read-ledger.js'
import type { Ledger } from '../../domain/ledger/ledger.js'
import { toUsd } from '../../domain/ledger/money.js'
import { readUsagePage, usageDimensions } from '../../domain/usage/usage-report.js'
import { listJobs } from '../../domain/video/video-job.js'
import type { Database } from '../../platform/database/database.js'
import {
  type OperatorHandlers,
  type OperatorSources,
  notFound,
  invalidInput,
  OperatorError,
} from './handler-types.js'
import { toEntryJson, createMoneyHandlers } from './money-handlers.js'
import type { ConsumptionLimit, LimitPeriod } from '@farebox/types'
import type { KeyChange, UnchangeableKey } from '../../domain/accounts/key-administration.js'
import {
  toKeyJson,
  toUsageJson,
  findKeyFault,
  type KeyWish,
  type BeyondMaker,
} from '../../domain/accounts/key-rules.js'

const dayMs = 86_400_000

/** Every operation of the operator's API. A missing one does not compile. */
export function createOperatorHandlers(sources: OperatorSources): OperatorHandlers {
  const { database, ledger, reports, allowsChanges, now } = sources
  const audit = createAuditReport(ledger, now)
  return {
    ...createKeyHandlers(sources),
    ...createMoneyHandlers(sources),

    listAccounts: async (place) => {
      const [record, totals] = await Promise.all([
        listAccounts(database, place, now()),
        readTotals(database),
      ])
      return { ...record, totals }
    },

    getAccount: async ({ account }) => {
      const record = await readAccount(database, account, now())
      if (record === undefined) throw notFound(`account ${account}`)
      return record
    },

    listEntries: async ({ account, limit, offset }) => {
      if (!(await readAccount(database, account, now()))) throw notFound(`account ${account}`)
      const { entries, hasMore } = await ledger.entries(account, { limit, offset })
      return {
        entries: entries.map(toEntryJson),
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

    listErrors: async ({ requestId }) => ({ errors: await reports.listErrors(requestId) }),

    getAudit: audit,

    getHealth: async () => {
      const { ready, checks, backends, upstreams, troubles } = await reports.describe()
      return { ready, checks, backends, upstreams, troubles, allowsChanges }
    },

    listProcesses: async () => ({ processes: await reports.list() }),
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
      throw invalidInput(`query.from: found ${from}, expected a day that is not after ${to}.`)
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

type KeyHandlers = Pick<
  OperatorHandlers,
  'listKeys' | 'createKey' | 'getKey' | 'changeKey' | 'rotateKey' | 'revokeKey' | 'getKeyUsage'
>

/** Handlers of the operations on API keys. */
function createKeyHandlers({ keys, ledger, uses, now }: OperatorSources): KeyHandlers {
  return {
    listKeys: async ({ account, state, limit, offset }) => {
      await uses.flush()
      const found = await keys.list({
        ...(account !== undefined && { account }),
        ...(state && { state }),
        limit,
        offset,
      })
      return { keys: found.keys.map(toKeyJson), hasMore: found.hasMore }
    },

    createKey: async ({ account, apiKeyType, description, ...wish }) => {
      rejectInvalidWish({ description, ...toKeyWish(wish) }, now())
      if (!account.startsWith('key:') || !isAccountName(account))
        throw invalidInput(`account: Expected "key:" with ${accountNameForm}.`)
      await ledger.openKeyAccount(account, 0n)
      const { limit, period, expiresAt } = toKeyChange(wish)
      const key = await keys.create({
        account,
        type: apiKeyType,
        description,
        ...(limit && { limit }),
        ...(period && { period }),
        ...(typeof expiresAt === 'number' && { expiresAt }),
      })
      if (key.status === 'frozen')
        throw new OperatorError(
          409,
          'ACCOUNT_FROZEN',
          'The account is frozen and cannot have new keys. Unfreeze it first.',
        )
      if (key.status !== 'created')
        throw new OperatorError(
          409,
          'TOO_MANY_KEYS',
          'The account has the maximum number of active keys.',
        )
      return { ...toKeyJson(await read(key.key.id)), secret: key.secret }
    },

    getKey: async ({ id }) => {
      await uses.flush()
      return toKeyJson(await read(id))
    },

    changeKey: async ({ id, description, ...wish }) => {
      rejectInvalidWish(
        { ...toKeyWish(wish), ...(description !== undefined && { description }) },
        now(),
      )
      const changed = await keys.change(id, {
        ...toKeyChange(wish),
        ...(description !== undefined && { description }),
      })
      return toKeyJson(requireDone(id, changed).key)
    },

    rotateKey: async ({ id, graceSeconds }) => {
      const { key, secret } = requireDone(id, await keys.rotate(id, graceSeconds * 1000))
      return { ...toKeyJson(key), secret }
    },

    revokeKey: async ({ id }) => toKeyJson(requireDone(id, await keys.revoke(id)).key),

    getKeyUsage: async ({ id, days }) => {
      const usage = await keys.usage(id, days)
      if (usage === undefined) throw notFound(`key ${id}`)
      return { usage: usage.map(toUsageJson) }
    },
  }

  async function read(id: string) {
    const key = await keys.read(id)
    if (key === undefined) throw notFound(`key ${id}`)
    return key
  }
}

type Wish = {
  readonly consumptionLimit?:
    | Partial<Record<keyof ConsumptionLimit, number | undefined>>
    | null
    | undefined
  readonly limitPeriod?: LimitPeriod | undefined
  readonly expiresAt?: string | null | undefined
}

function toKeyChange({ consumptionLimit, limitPeriod, expiresAt }: Wish): KeyChange {
  return {
    ...(consumptionLimit !== undefined && { limit: consumptionLimit && toLimit(consumptionLimit) }),
    ...(limitPeriod && { period: limitPeriod }),
    ...(expiresAt !== undefined && {
      expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    }),
  }
}

function toLimit(limit: NonNullable<Wish['consumptionLimit']>): ConsumptionLimit {
  return Object.fromEntries(Object.entries(limit).filter(([, amount]) => amount !== undefined))
}

function toKeyWish({ consumptionLimit, expiresAt }: Wish): KeyWish {
  return { consumptionLimit: consumptionLimit && toLimit(consumptionLimit), expiresAt }
}

function rejectInvalidWish(wish: KeyWish, now: number): void {
  const fault = findKeyFault(wish, now)
  if (fault) throw invalidInput(`${fault.field}: ${fault.message}`)
}

/** The result of a successful change. Throws for any other. */
function requireDone<Result extends { readonly status: string }>(
  id: string,
  result: Result,
): Exclude<Result, UnchangeableKey | BeyondMaker> {
  if (isRejected(result)) {
    if (result.status === 'unknown') throw notFound(`key ${id}`)
    if (result.status === 'beyond maker') throw invalidInput(`${result.field}: ${result.message}`)
    throw new OperatorError(
      409,
      'KEY_ENDED',
      `The key is ${result.key.state} and cannot be changed. Create another one.`,
    )
  }
  return result as Exclude<Result, UnchangeableKey | BeyondMaker>
}

function isRejected(result: { readonly status: string }): result is UnchangeableKey | BeyondMaker {
  return (
    result.status === 'unknown' || result.status === 'ended' || result.status === 'beyond maker'
  )
}
