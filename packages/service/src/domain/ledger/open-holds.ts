import type { Database } from '../../platform/database/database.js'
import type { MicroUsd } from './money.js'

export type OpenHolds = {
  readonly count: bigint
  /** What they hold of balances; the daily credit is not counted. */
  readonly usd: MicroUsd
}

/** The open holds of all processes, from their index. */
export async function readOpenHolds(database: Database): Promise<OpenHolds> {
  const [row] = await database.query<OpenHolds>(
    `select count(*) as count, coalesce(sum(usd), 0)::bigint as usd from hold where state = 'held'`,
  )
  return row ?? { count: 0n, usd: 0n }
}
