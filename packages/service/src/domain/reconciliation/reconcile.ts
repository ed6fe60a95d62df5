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

  const check = async (group: readonly SettledPayment[]) => {
    const [first] = group
    const chain = first && chains.get(first.network)
    if (!first || !chain) return void (unchecked += group.length)
    const { transaction, asset } = first
    if (transaction === '') return void differences.push(...group.map(missing))
    const { settlements, payee } = chain
    const moved = await settlements({ transaction: canonical(transaction), asset, payee }).catch((error: unknown) => {
      if (error instanceof JsonRpcError) return error
      throw error
    })
    if (moved instanceof JsonRpcError) {
      unchecked += group.length
      return void troubles.add(`${first.network}: ${moved.message}`)
    }
    const found = moved ? compareTransaction(group, moved) : group.map(missing)
    // without a payee, what else a transaction moves may be nobody's business here
    differences.push(...found.filter(({ kind }) => payee !== undefined || kind !== 'extra'))
  }

  // one name of a transaction may be on two chains
  const groups = [...byTransaction(payments)].flatMap(([, group]) =>
    [...new Set(group.map(({ network, asset }) => `${network} ${asset}`))].map((place) =>
      group.filter(({ network, asset }) => `${network} ${asset}` === place),
    ),
  )
  const next = groups.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const group of next) await check(group)
    }),
  )
  return { payments: payments.length, unchecked, differences, troubles: [...troubles] }
}
