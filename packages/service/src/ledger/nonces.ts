import type { Database } from '../database/database.js'

/** Remembers the nonces of sign-in messages for as long as the messages live. */
export type Nonces = {
  /** Whether this is the first use. Of any number of uses at the same time exactly one is. Times are milliseconds since 1970. */
  readonly use: (address: string, nonce: string, expiresAt: number, now: number) => Promise<boolean>
}

export function createNonces(database: Database): Nonces {
  let uses = 0
  return {
    use: async (address, nonce, expiresAt, now) => {
      if (++uses % 1000 === 0) await database.query('DELETE FROM nonces WHERE expires_at < $1', [now])
      const rows = await database.query(
        'INSERT INTO nonces (address, nonce, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING nonce',
        [address, nonce, Math.ceil(expiresAt)],
      )
      return rows.length === 1
    },
  }
}
