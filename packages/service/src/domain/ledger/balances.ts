import type { Database } from '../../platform/database/database.js'
import {
  toMoment,
  utcDay,
  type Charged,
  type Spendable,
  type LedgerOptions,
} from './ledger-types.js'
import { shareStatements } from './share-statements.js'

export type Balances = {
  /** Reads that come at once share a statement, which begins after they came. */
  readonly spendable: (account: string) => Promise<Spendable>
  /** The charge under an Idempotency-Key, which is given as its hash. */
  readonly findCharge: (key: {
    readonly account: string
    readonly operation: string
    readonly key: string
  }) => Promise<Charged | undefined>
}

type Row = {
  readonly name: string
  readonly usd: bigint
  readonly diem: bigint
  readonly daily: bigint
  readonly frozen: boolean
}

export function createBalances(database: Database, { now }: LedgerOptions): Balances {
  const readMany = async (accounts: readonly string[]): Promise<readonly Spendable[]> => {
    const rows = await database.query<Row>(
      `select name, balance - held as usd, diem_daily as daily, frozen_at is not null as frozen,
         greatest(0, diem_daily - case when diem_day = ${utcDay('$2')} then diem_spent else 0 end) as diem
       from account where name = any (array(select json_array_elements_text($1::text::json)))`,
      [JSON.stringify(accounts), toMoment(now()).day],
    )
    const found = new Map(rows.map((row) => [row.name, row]))
    return accounts.map((account) => {
      const { usd = 0n, diem = 0n, daily = 0n, frozen = false } = found.get(account) ?? {}
      return { usd, diem, diemDaily: daily, isFrozen: frozen }
    })
  }
  return {
    spendable: shareStatements({ subjectOf: (account) => account, many: readMany }),

    findCharge: async ({ account, operation, key }) => {
      const [row] = await database.query<Charged>(
        `select i.fingerprint, i.entry_id as "entryId" from idempotency i join account a on a.id = i.account_id
         where a.name = $1 and i.operation = $2 and i.key = $3`,
        [account, operation, key],
      )
      return row
    },
  }
}
