import { readFile } from 'node:fs/promises'
import { UsageError } from '@farebox/command-line'
import { chainsOf, type ChainNodes } from '../domain/reconciliation/chains.js'
import { readSettlements, SettlementsError } from '../domain/reconciliation/read-settlements.js'
import { reconcileWithChains, reconcileWithList, type Reconciled } from '../domain/reconciliation/reconcile.js'
import type { PayeeOptions } from '../domain/payments/service-rail.js'
import { finalAfterMs, reconciledMs } from './keep-reconciled.js'
import type { Database } from '../platform/database/database.js'
import { reasonOf, StorageError } from '../platform/database/storage-error.js'
import type { ReconcileSettings } from '../command/settings/reconcile-settings.js'

export type ReconcileRequest = ReconcileSettings & { readonly nodes: ChainNodes | undefined; readonly payees: PayeeOptions }

/** Compares payments with a file or chains. Rejects with a UsageError or a StorageError. */
export async function reconcileSettlements(
  database: Database,
  { file, nodes, payees, since, until }: ReconcileRequest,
  now: () => number,
): Promise<readonly Reconciled[]> {
  if (file === undefined && nodes === undefined)
    throw new UsageError('Nothing to compare with: give --settlements FILE, --rpc-url or both.')
  const period = { from: since ?? now() - reconciledMs, to: until ?? now() - finalAfterMs }
  if (period.from >= period.to) throw new UsageError('--since: found a time after --until, expected one before it.')
  return [
    ...(file === undefined ? [] : [await reconcileWithList(database, period, await settlementsIn(file))]),
    ...(nodes === undefined ? [] : [await reconcileWithChains(database, period, chainsOf(nodes, payees))]),
  ]
}

async function settlementsIn(file: string) {
  try {
    return readSettlements(await readFile(file, 'utf8'))
  } catch (error) {
    const reason = error instanceof SettlementsError ? error.message : `it cannot be read (${reasonOf(error)}).`
    throw new StorageError(`The settlements in ${file}: ${reason}`)
  }
}

/** The lines of a result for an operator, the summary last. */
export function linesOfResult({ payments, unchecked, differences, troubles }: Reconciled): {
  readonly faults: readonly string[]
  readonly summary: string
} {
  const faults = differences.map(({ kind, transaction, payment, detail }) =>
    [kind, transaction === '' ? 'no transaction' : transaction, ...(payment === undefined ? [] : [payment]), detail].join('  '),
  )
  const left =
    unchecked === 0 ? '' : ` ${unchecked} could not be compared${troubles.length === 0 ? ': no node is given for their chain' : ''}.`
  return {
    faults: [...faults, ...troubles.map((trouble) => `no answer  ${trouble}`)],
    summary: `${payments} payments: ${differences.length === 0 ? 'no difference' : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`}.${left}`,
  }
}
