import type { Database } from '../../platform/database/database.js'
import type { Reconciled } from './reconcile.js'

/** What the last reconciliation of any process found. */
export type LastResult = {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly payments: number
  readonly unchecked: number
  readonly differences: number
}

const name = 'result of the reconciliation'

export async function saveResult(database: Database, { payments, unchecked, differences }: Reconciled, at: number): Promise<void> {
  const result: LastResult = { at, payments, unchecked, differences: differences.length }
  await database.query('insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value', [
    name,
    JSON.stringify(result),
  ])
}

export async function readResult(database: Database): Promise<LastResult | undefined> {
  const [row] = await database.query<{ value: string }>('select value from setting where name = $1', [name])
  return row && (JSON.parse(row.value) as LastResult)
}
