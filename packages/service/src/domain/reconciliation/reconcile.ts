import type { Database } from '../../platform/database/database.js'
import { toUsd } from '../ledger/money.js'
import { JsonRpcError, type Chain } from './chains.js'
import {
  normalizeTransaction,
  type Difference,
  type SettledPayment,
  type Settlement,
} from './settlements.js'

export type ReconciliationReport = {
  readonly payments: number
  /** Payments on a chain without a node, or whose node did not respond. */
  readonly unchecked: number
  readonly differences: readonly Difference[]
  /** The distinct errors of nodes. */
  readonly troubles: readonly string[]
}

/** Compares the payments of a period with settlements that a facilitator exported for it. */
export async function reconcileWithList(
  database: Database,
  period: Period,
  settlements: readonly Settlement[],
): Promise<ReconciliationReport> {
  const payments = await readSettledPayments(database, period)
  const settlementsByTransaction = groupByTransaction(settlements)
  const known = groupByTransaction(payments)
  const differences = [...known].flatMap(([name, group]) => {
    const moved = settlementsByTransaction.get(name)
    return moved ? compareTransaction(group, moved) : group.map(reportMissing)
  })
  const others = [...settlementsByTransaction.keys()].filter((name) => !known.has(name))
  const unknown = await findUncredited(database, others)
  const extras = others
    .filter((name) => unknown.has(name))
    .flatMap((name) => (settlementsByTransaction.get(name) ?? []).map(reportExtra))
  return {
    payments: payments.length,
    unchecked: 0,
    differences: [...differences, ...extras],
    troubles: [],
  }
}

/** Concurrent requests to nodes. */
const atOnce = 4

/** Compares the payments of a period with their transactions on the chains. */
export async function reconcileWithChains(
  database: Database,
  period: Period,
  /** By CAIP-2. */
  chains: ReadonlyMap<string, Chain>,
): Promise<ReconciliationReport> {
  const payments = await readSettledPayments(database, period)
  const differences: Difference[] = []
  const troubles = new Set<string>()
  let unchecked = 0
  const next = groupByAsset(payments).values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const group of next) {
        const found = await compareWithChain(group, chains)
        if (found.differences) differences.push(...found.differences)
        else unchecked += group.length
        if (found.trouble !== undefined) troubles.add(found.trouble)
      }
    }),
  )
  return { payments: payments.length, unchecked, differences, troubles: [...troubles] }
}

/** Payments of one transaction and asset; one name of a transaction may be on two chains. */
function groupByAsset(payments: readonly SettledPayment[]): readonly (readonly SettledPayment[])[] {
  const toAssetKey = ({ network, asset }: SettledPayment) => `${network} ${asset}`
  return [...groupByTransaction(payments).values()].flatMap((group) =>
    [...new Set(group.map(toAssetKey))].map((place) =>
      group.filter((one) => toAssetKey(one) === place),
    ),
  )
}

type ChainComparison = { readonly differences?: readonly Difference[]; readonly trouble?: string }

/** Without `differences` if there is no node for the chain, or it did not respond. */
async function compareWithChain(
  group: readonly SettledPayment[],
  chains: ReadonlyMap<string, Chain>,
): Promise<ChainComparison> {
  const [first] = group
  const chain = first && chains.get(first.network)
  if (!first || !chain) return {}
  const { network, transaction, asset } = first
  if (transaction === '') return { differences: group.map(reportMissing) }
  const { settlements, payee } = chain
  try {
    const moved = await settlements({
      transaction: normalizeTransaction(transaction),
      asset,
      payee,
    })
    const found = moved ? compareTransaction(group, moved) : group.map(reportMissing)
    // without a payee, other transfers of the transaction may not concern this service
    return { differences: found.filter(({ kind }) => payee !== undefined || kind !== 'extra') }
  } catch (error) {
    if (error instanceof JsonRpcError) return { trouble: `${network}: ${error.message}` }
    throw error
  }
}

/**
 * Compares the payments of one transaction with the money that it moved. Each movement stands for
 * one payment.
 */
function compareTransaction(
  payments: readonly SettledPayment[],
  moved: readonly Settlement[],
): readonly Difference[] {
  const left = [...moved]
  const take = (isIt: (one: Settlement) => boolean) => {
    const place = left.findIndex(isIt)
    return place < 0 ? undefined : left.splice(place, 1)[0]
  }
  const unmatched = payments.filter(
    ({ payer, amount }) => !take((one) => isSame(one.payer, payer) && one.amount === amount),
  )
  const differences = unmatched.map((payment): Difference => {
    const { id, transaction, payer } = payment
    const other = take((one) => isSame(one.payer, payer)) ?? take(() => true)
    if (!other)
      return {
        kind: 'missing',
        transaction,
        payment: id,
        detail: `${describeMovement(payment)} is credited, and the transaction moved nothing`,
      }
    return {
      kind: 'different',
      transaction,
      payment: id,
      detail: `${describeMovement(payment)} is credited, and ${describeMovement(other)} was moved`,
    }
  })
  return [...differences, ...left.map(reportExtra)]
}

function reportMissing(payment: SettledPayment): Difference {
  const { id, transaction } = payment
  return {
    kind: 'missing',
    transaction,
    payment: id,
    detail: `${describeMovement(payment)} is credited, and there is no such transaction`,
  }
}

function reportExtra(moved: Settlement): Difference {
  return {
    kind: 'extra',
    transaction: moved.transaction,
    detail: `${describeMovement(moved)} was moved, and nobody was credited`,
  }
}

function describeMovement({ amount, payer }: Settlement): string {
  return `${toUsd(amount)} USD of ${payer}`
}

function isSame(one: string, other: string): boolean {
  return normalizeTransaction(one) === normalizeTransaction(other)
}

/** A period in milliseconds since 1970, without its end. */
type Period = { readonly from: number; readonly to: number }

/** The payments that were credited in a period, without those that no chain has. */
async function readSettledPayments(
  database: Database,
  { from, to }: Period,
): Promise<readonly SettledPayment[]> {
  return database.query<SettledPayment>(
    `select id, network, asset, payer, amount, transaction_hash as transaction from payment
     where created_at >= $1::timestamptz and created_at < $2::timestamptz and (transaction_hash <> '' or settled_by = 'facilitator')
     order by created_at, id`,
    [new Date(from).toISOString(), new Date(to).toISOString()],
  )
}

/** Those of the transactions that no payment has, whenever it was credited. */
async function findUncredited(
  database: Database,
  transactions: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ transaction: string }>(
    `select t.transaction from json_array_elements_text($1::text::json) as t (transaction)
     where not exists (select from payment p where p.transaction_hash = t.transaction or lower(p.transaction_hash) = t.transaction)`,
    [JSON.stringify(transactions.map(normalizeTransaction))],
  )
  return new Set(rows.map(({ transaction }) => transaction))
}

function groupByTransaction<Item extends { readonly transaction: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const name = normalizeTransaction(item.transaction)
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return groups
}
