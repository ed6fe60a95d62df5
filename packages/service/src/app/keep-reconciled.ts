import { openChains, type ChainNodes } from '../domain/reconciliation/chains.js'
import type { JsonRpcOptions } from '../domain/reconciliation/chains.js'
import { reconcileWithChains, type Reconciled } from '../domain/reconciliation/reconcile.js'
import type { Difference } from '../domain/reconciliation/settlement.js'
import type { PayeeOptions } from '../domain/payments/service-rail.js'
import type { AppOptions } from '../http/app.js'
import type { Database } from '../platform/database/database.js'
import { giveBackTurn, takeTurn } from '../platform/database/take-turn.js'
import type { Metrics } from '../platform/telemetry/metrics.js'
import { repeatLater, type Repeated } from './repeat.js'

export type ReconciliationParts = PayeeOptions & {
  readonly database: Database
  readonly nodes: ChainNodes
  readonly fetch?: JsonRpcOptions['fetch']
  readonly metrics: Pick<Metrics, 'reading'>
  readonly now: () => number
  readonly onDifference: (difference: Difference) => void
  /** Called when a node did not answer. The error has no URL. */
  readonly onTrouble: (trouble: Error) => void
  readonly onError: AppOptions['onError']
}

const dayMs = 86_400_000
const hourMs = 3_600_000
/** A payment is compared on seven days: a difference is told of again until it is settled. */
export const reconciledMs = 7 * dayMs
/** A younger transaction may not be final. */
export const finalAfterMs = 600_000
const turn = 'time of the reconciliation'

/**
 * Compares credited payments with the chains once a day, in one of the processes, and shows the
 * result in the metrics. Asks again after an hour when a node did not answer.
 */
export function keepReconciled(parts: ReconciliationParts): Repeated {
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
export type LastResult = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly payments: number
  readonly unchecked: number
  readonly differences: number
}

const name = 'result of the reconciliation'

async function saveResult(
  database: Database,
  { payments, unchecked, differences }: Reconciled,
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
