import type { Database } from '../../platform/database/database.js'
import { toMoment } from '../ledger/ledger-types.js'

/** Who froze an account, and why. */
export type Freezer = { readonly actor: string; readonly reason: string }

/**
 * Freezes an account, or ends that with `by` null: work that begins, and new keys, are refused in
 * every process once the promise resolves. Work that holds credit already is finished and charged.
 * An account that is frozen keeps its first time and reason. Resolves to whether there is such an
 * account.
 */
export async function setFrozen(
  database: Database,
  account: string,
  by: Freezer | null,
  now: number,
): Promise<boolean> {
  const rows = await database.query(
    by
      ? `update account set frozen_at = coalesce(frozen_at, $2::timestamptz), frozen_by = coalesce(frozen_by, $3),
           frozen_reason = coalesce(frozen_reason, $4) where name = $1 returning 1`
      : 'update account set frozen_at = null, frozen_by = null, frozen_reason = null where name = $1 returning 1',
    by ? [account, toMoment(now).time, by.actor, by.reason] : [account],
  )
  return rows.length > 0
}
