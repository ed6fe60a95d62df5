import type { Database } from '../../platform/database/database.js'

export type NonceStore = {
  /** True for the first use of a nonce by a wallet. Of two parallel uses, one wins. */
  readonly claim: (address: string, nonce: string, expiresAt: number) => Promise<boolean>
}

/** `purge` deletes those that have expired. */
export function createNonceStore(database: Database): NonceStore {
  return {
    claim: async (address, nonce, expiresAt) => {
      const rows = await database.query(
        'insert into siwx_nonce (address, nonce, expires_at) values ($1, $2, $3) on conflict do nothing returning 1 as claimed',
        [address, nonce, new Date(expiresAt).toISOString()],
      )
      return rows.length > 0
    },
  }
}
