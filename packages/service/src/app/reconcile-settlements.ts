import { readFile } from 'node:fs/promises'
import { UsageError } from '@farebox/command-line'
import { openChains, type ChainNodes } from '../domain/reconciliation/chains.js'
import { readSettlements, SettlementsError } from '../domain/reconciliation/read-settlements.js'
import {
  reconcileWithChains,
  reconcileWithList,
  type Reconciled,
} from '../domain/reconciliation/reconcile.js'
import type { PayeeOptions } from '../domain/payments/service-rail.js'
import { finalAfterMs, reconciledMs } from './keep-reconciled.js'
import type { Database } from '../platform/database/database.js'
import { describeError, StorageError } from '../platform/database/storage-error.js'

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
): Promise<readonly Reconciled[]> {
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
