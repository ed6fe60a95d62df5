import { readFile } from 'node:fs/promises'
import { UsageError } from '@farebox/command-line'
import type { PayeeOptions } from '../domain/payments/payment-rails.js'
import {
  openChains,
  type ChainNodes,
  type JsonRpcOptions,
} from '../domain/reconciliation/chains.js'
import {
  reconcileWithChains,
  reconcileWithList,
  type ReconciliationReport,
} from '../domain/reconciliation/reconcile.js'
import {
  readSettlements,
  SettlementsError,
  type Difference,
} from '../domain/reconciliation/settlements.js'
import type { AppOptions } from '../http/app.js'
import type { Database } from '../platform/database/database.js'
import { describeError, StorageError } from '../platform/database/storage-error.js'
import { giveBackTurn, takeTurn } from '../platform/database/take-turn.js'
import type { Metrics } from '../platform/telemetry/metrics.js'
import { repeatLater, type PeriodicTask } from './upkeep.js'

/** Times are in milliseconds since 1970. */
export type ReconcileRequest = {
  /** Of settlements that a facilitator exported. */
  readonly file: string | undefined
  readonly since: number | undefined
  readonly until: number | undefined
  readonly nodes: ChainNodes | undefined
  readonly payees: PayeeOptions
}

/** Compares payments with a file or chains. Rejects with a UsageError or a StorageError. */
export async function reconcileSettlements(
  database: Database,
  { file, nodes, payees, since, until }: ReconcileRequest,
  now: () => number,
): Promise<readonly ReconciliationReport[]> {
  if (file === undefined && nodes === undefined)
    throw new UsageError('Nothing to compare with: give --settlements FILE, --rpc-url or both.')
  const period = { from: since ?? now() - reconciledMs, to: until ?? now() - finalAfterMs }
  if (period.from >= period.to)
    throw new UsageError('--since: found a time after --until, expected one before it.')
  return [
    ...(file === undefined
      ? []
      : [await reconcileWithList(database, period, await readSettlementFile(file))]),
    ...(nodes === undefined
      ? []
      : [await reconcileWithChains(database, period, openChains(nodes, payees))]),
  ]
}

async function readSettlementFile(file: string) {
  try {
    return readSettlements(await readFile(file, 'utf8'))
  } catch (error) {
    const reason =
      error instanceof SettlementsError
        ? error.message
        : `it cannot be read (${describeError(error)}).`
    throw new StorageError(`The settlements in ${file}: ${reason}`)
  }
}

type ReconciliationParts = PayeeOptions & {
  readonly database: Database
  readonly nodes: ChainNodes
  readonly fetch?: JsonRpcOptions['fetch']
  readonly metrics: Pick<Metrics, 'reading'>
  readonly now: () => number
  readonly onDifference: (difference: Difference) => void
  /** Called when a node does not respond. The error does not contain its URL. */
  readonly onTrouble: (trouble: Error) => void
  readonly onError: AppOptions['onError']
}

const dayMs = 86_400_000
const hourMs = 3_600_000
/**
 * Payments of this period are compared each day, so a difference is reported again until it is
 * settled.
 */
const reconciledMs = 7 * dayMs
/** A younger transaction may not be final. */
const finalAfterMs = 600_000
const turn = 'time of the reconciliation'

/**
 * Compares credited payments with the chains once a day, in one of the processes, and exports the
 * result as metrics. Retries after an hour if a node did not respond.
 */
export function keepReconciled(parts: ReconciliationParts): PeriodicTask {
  const { database, nodes, fetch, metrics, now, onDifference, onTrouble, onError } = parts
  const chains = openChains(nodes, parts, fetch)
  const gauge = (name: string, help: string, valueIn: (result: LastResult) => number) =>
    metrics.reading(name, 'gauge', help, async () => {
      const result = await readResult(database)
      return result ? [{ labels: {}, value: valueIn(result) }] : []
    })
  gauge(
    'farebox_reconciliation_differences',
    'Differences between payments and chains in the last reconciliation.',
    (last) => last.differences,
  )
  gauge(
    'farebox_reconciliation_unchecked',
    'Payments that it could not compare.',
    ({ unchecked }) => unchecked,
  )
  gauge(
    'farebox_reconciliation_timestamp_seconds',
    'When it was, in Unix seconds.',
    ({ at }) => at / 1000,
  )

  const once = async () => {
    if (!(await takeTurn(database, turn, dayMs - hourMs / 2))) return
    const time = now()
    const period = { from: time - reconciledMs, to: time - finalAfterMs }
    const result = await reconcileWithChains(database, period, chains).catch(
      async (error: unknown) => {
        await giveBackTurn(database, turn)
        throw error
      },
    )
    for (const difference of result.differences) onDifference(difference)
    for (const trouble of result.troubles) onTrouble(new Error(`Reconciliation: ${trouble}`))
    await saveResult(database, result, time)
    if (result.troubles.length > 0) await giveBackTurn(database, turn)
  }
  return repeatLater(once, hourMs, onError)
}

/** What the last reconciliation of any process found. */
type LastResult = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly payments: number
  readonly unchecked: number
  readonly differences: number
}

const name = 'result of the reconciliation'

async function saveResult(
  database: Database,
  { payments, unchecked, differences }: ReconciliationReport,
  at: number,
): Promise<void> {
  const result: LastResult = { at, payments, unchecked, differences: differences.length }
  await database.query(
    'insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, JSON.stringify(result)],
  )
}

async function readResult(database: Database): Promise<LastResult | undefined> {
  const [row] = await database.query<{ value: string }>(
    'select value from setting where name = $1',
    [name],
  )
  return row && (JSON.parse(row.value) as LastResult)
}
