import type { Database } from '../../platform/database/database.js'

/** Remembers which sign-in messages were used. */
export type NonceStore = {
  /** True the first time that a wallet uses a nonce, false ever after until it expires. One statement: of two at once, one wins. */
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
