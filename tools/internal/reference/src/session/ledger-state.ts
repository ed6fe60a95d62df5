import type { LedgerEntry } from '@farebox/types'

/** The credit of the session's wallet or key, as the service last told it. */
export type LedgerState = {
  readonly access: 'key' | 'wallet'
  readonly balanceUsd: number
  /** The newest entries first. The API lists those of wallets alone. */
  readonly rows: readonly LedgerEntry[]
}
