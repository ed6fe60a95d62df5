import type { Database } from '../../platform/database/database.js'
import type { ChainSettlements } from './chain-settlements.js'
import { compareTransaction, extra, missing } from './compare-settlements.js'
import { JsonRpcError } from './json-rpc.js'
import { canonical, type Difference, type SettledPayment, type Settlement } from './settlement.js'
import { byTransaction, settledPayments, uncredited, type Period } from './settled-payments.js'

export type Reconciled = {
  readonly payments: number
  /** Payments on a chain without a node, or whose node did not answer. */
  readonly unchecked: number
  readonly differences: readonly Difference[]
  /** What nodes answered in place of a transaction, without repeats. */
  readonly troubles: readonly string[]
}

/** Compares the payments of a period with settlements that a facilitator exported for it. */
export async function reconcileWithList(database: Database, period: Period, settlements: readonly Settlement[]): Promise<Reconciled> {
  const payments = await settledPayments(database, period)
  const listed = byTransaction(settlements)
  const known = byTransaction(payments)
  const differences = [...known].flatMap(([name, group]) => {
    const moved = listed.get(name)
    return moved ? compareTransaction(group, moved) : group.map(missing)
  })
  const others = [...listed.keys()].filter((name) => !known.has(name))
  const unknown = await uncredited(database, others)
  const extras = others.filter((name) => unknown.has(name)).flatMap((name) => (listed.get(name) ?? []).map(extra))
  return { payments: payments.length, unchecked: 0, differences: [...differences, ...extras], troubles: [] }
}

export type Chain = { readonly settlements: ChainSettlements; readonly payee: string | undefined }

/** Questions to nodes at a time. */
const atOnce = 4

/** Compares the payments of a period with their transactions on the chains. */
export async function reconcileWithChains(
  database: Database,
  period: Period,
  /** By CAIP-2. */
  chains: ReadonlyMap<string, Chain>,
): Promise<Reconciled> {
  const payments = await settledPayments(database, period)
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
  return [...byTransaction(payments).values()].flatMap((group) =>
    [...new Set(group.map(toAssetKey))].map((place) => group.filter((one) => toAssetKey(one) === place)),
  )
}

type Compared = { readonly differences?: readonly Difference[]; readonly trouble?: string }

/** Without `differences` if there is no node for the chain, or it did not answer. */
async function compareWithChain(group: readonly SettledPayment[], chains: ReadonlyMap<string, Chain>): Promise<Compared> {
  const [first] = group
  const chain = first && chains.get(first.network)
  if (!first || !chain) return {}
  const { network, transaction, asset } = first
  if (transaction === '') return { differences: group.map(missing) }
  const { settlements, payee } = chain
  try {
    const moved = await settlements({ transaction: canonical(transaction), asset, payee })
    const found = moved ? compareTransaction(group, moved) : group.map(missing)
    // without a payee, other transfers of the transaction may not concern this service
    return { differences: found.filter(({ kind }) => payee !== undefined || kind !== 'extra') }
  } catch (error) {
    if (error instanceof JsonRpcError) return { trouble: `${network}: ${error.message}` }
    throw error
  }
}
