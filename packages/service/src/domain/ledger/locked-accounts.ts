import type { Database } from '../../platform/database/database.js'

/**
 * Accounts whose lock a capture did not get in time, until a later one gets it. A capture names its
 * hold alone, so accounts are looked up, which costs nothing while none is locked. `add` and
 * `delete` never reject: they change nothing when the database does not answer.
 */
export type LockedAccounts = {
  /** The account of this hold is locked. */
  readonly add: (holdId: string) => Promise<void>
  /** It is not locked any more. */
  readonly delete: (holdId: string) => Promise<void>
  /** Those of the holds whose account is locked. */
  readonly holdsAmong: (holdIds: readonly string[]) => Promise<ReadonlySet<string>>
}

export function createLockedAccounts(database: Database): LockedAccounts {
  const accounts = new Set<bigint>()
  const findAccount = async (holdId: string) => {
    const sql = 'select account_id as account from hold where id = $1'
    const [hold] = await database.query<{ account: bigint }>(sql, [holdId]).catch(() => [])
    return hold?.account
  }
  return {
    add: async (holdId) => {
      const account = await findAccount(holdId)
      if (account !== undefined) accounts.add(account)
    },

    delete: async (holdId) => {
      const account = accounts.size > 0 ? await findAccount(holdId) : undefined
      if (account !== undefined) accounts.delete(account)
    },

    holdsAmong: async (holdIds) => {
      if (accounts.size === 0) return new Set()
      const rows = await database.query<{ id: string }>(
        'select id from hold where id = any ($1::text[]) and account_id = any ($2::bigint[])',
        [holdIds, `{${[...accounts].join()}}`],
      )
      return new Set(rows.map(({ id }) => id))
    },
  }
}
