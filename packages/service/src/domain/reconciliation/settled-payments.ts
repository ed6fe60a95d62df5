import type { Database } from '../../platform/database/database.js'
import { canonical, type SettledPayment } from './settlement.js'

/** A period in milliseconds since 1970, without its end. */
export type Period = { readonly from: number; readonly to: number }

/** The payments that were credited in a period, without those that no chain has. */
export async function settledPayments(database: Database, { from, to }: Period): Promise<readonly SettledPayment[]> {
  return database.query<SettledPayment>(
    `select id, network, asset, payer, amount, transaction_hash as transaction from payment
     where created_at >= $1::timestamptz and created_at < $2::timestamptz and (transaction_hash <> '' or settled_by = 'facilitator')
     order by created_at, id`,
    [new Date(from).toISOString(), new Date(to).toISOString()],
  )
}

/** Those of the transactions that no payment has, whenever it was credited. */
export async function uncredited(database: Database, transactions: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ transaction: string }>(
    `select t.transaction from json_array_elements_text($1::text::json) as t (transaction)
     where not exists (select from payment p where p.transaction_hash = t.transaction or lower(p.transaction_hash) = t.transaction)`,
    [JSON.stringify(transactions.map(canonical))],
  )
  return new Set(rows.map(({ transaction }) => transaction))
}

export function byTransaction<Item extends { readonly transaction: string }>(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const name = canonical(item.transaction)
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return groups
}
