import type { Database } from '../../platform/database/database.js'
import { shareStatements } from '../ledger/share-statements.js'

export type NonceStore = {
  /** True for the first use of a nonce by a wallet. Of two parallel uses, one wins. */
  readonly claim: (address: string, nonce: string, expiresAt: number) => Promise<boolean>
}

type Claim = { readonly address: string; readonly nonce: string; readonly expires: string }

/** Claims that come at once share a statement. `purge` deletes those that have expired. */
export function createNonceStore(database: Database): NonceStore {
  const claimMany = async (claims: readonly Claim[]): Promise<readonly boolean[]> => {
    // in one order, so that the statements of two processes cannot wait for each other
    const rows = await database.query<{ address: string; nonce: string }>(
      `insert into siwx_nonce (address, nonce, expires_at)
       select address, nonce, expires from json_to_recordset($1::text::json) as c (address text, nonce text, expires timestamptz)
       order by address, nonce on conflict do nothing returning address, nonce`,
      [JSON.stringify(claims)],
    )
    const claimed = new Set(rows.map(toClaimId))
    // the first of two equal claims takes the row
    return claims.map((claim) => claimed.delete(toClaimId(claim)))
  }
  const share = shareStatements({ subjectOf: toClaimId, many: claimMany })
  return {
    claim: (address, nonce, expiresAt) =>
      share({ address, nonce, expires: new Date(expiresAt).toISOString() }),
  }
}

function toClaimId({ address, nonce }: Pick<Claim, 'address' | 'nonce'>): string {
  return `${address} ${nonce}`
}
