import type { Database } from '../../platform/database/database.js'
import { momentOf, type Spendable, type LedgerOptions } from './ledger-types.js'

export type Balances = {
  readonly spendable: (account: string) => Promise<Spendable>
  /** Fingerprint of the request that was charged under an Idempotency-Key. */
  readonly findCharge: (key: { readonly account: string; readonly operation: string; readonly key: string }) => Promise<string | undefined>
}

export function createBalances(database: Database, { now }: LedgerOptions): Balances {
  return {
    spendable: async (account) => {
      const [row] = await database.query<{ usd: bigint; diem: bigint; daily: bigint }>(
        `select balance - held as usd, diem_daily as daily,
           greatest(0, diem_daily - case when diem_day = $2::timestamptz::date then diem_spent else 0 end) as diem
         from account where name = $1`,
        [account, momentOf(now()).day],
      )
      return { usd: row?.usd ?? 0n, diem: row?.diem ?? 0n, diemDaily: row?.daily ?? 0n }
    },

    findCharge: async ({ account, operation, key }) => {
      const [row] = await database.query<{ fingerprint: string }>(
        `select i.fingerprint from idempotency i join account a on a.id = i.account_id
         where a.name = $1 and i.operation = $2 and i.key = $3`,
        [account, operation, key],
      )
      return row?.fingerprint
    },
  }
}
