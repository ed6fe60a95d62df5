import type { Database, Row } from '../../platform/database/database.js'
import { shareStatements } from '../../platform/database/share-statements.js'
import type { KeyedCharge, SpendableCredit, LedgerOptions, Entry } from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { toMoment, utcDaySql } from './statements.js'

export type Balances = {
  /** Simultaneous reads share a statement, which begins after all of them. */
  readonly spendable: (account: string) => Promise<SpendableCredit>
  /** The charge under an Idempotency-Key, which is given as its hash. */
  readonly findCharge: (key: {
    readonly account: string
    readonly operation: string
    readonly key: string
  }) => Promise<KeyedCharge | undefined>
}

const noCredit: SpendableCredit = { usd: 0n, diem: 0n, diemDaily: 0n, isFrozen: false }

/** The fields of what the account `a` can spend on the day that starts at `day`. */
export const spendableColumns = (
  day: string,
) => `a.balance - a.held as usd, a.diem_daily as "diemDaily",
  a.frozen_at is not null as "isFrozen",
  greatest(0, a.diem_daily - case when a.diem_day >= ${utcDaySql(day)} then a.diem_spent else 0 end) as diem`

/** `$1` account names as JSON, `$2` the start of the day. */
const spendableSql = `
  select a.name, ${spendableColumns('$2')}
  from account a where a.name = any (array(select json_array_elements_text($1::text::json)))`

export function createBalances(database: Database, { now }: LedgerOptions): Balances {
  const readMany = async (accounts: readonly string[]): Promise<readonly SpendableCredit[]> => {
    const rows = await database.query<SpendableCredit & { name: string }>(spendableSql, [
      JSON.stringify(accounts),
      toMoment(now()).day,
    ])
    const found = new Map<string, SpendableCredit>()
    for (const { name, ...spendable } of rows) found.set(name, spendable)
    return accounts.map((account) => found.get(account) ?? noCredit)
  }
  const share = shareStatements({ many: readMany })
  return {
    spendable: (account) => share(account, account),

    findCharge: async ({ account, operation, key }) => {
      const [row] = await database.query<KeyedCharge>(
        `select i.fingerprint, i.entry_id as "entryId" from idempotency i join account a on a.id = i.account_id
         where a.name = $1 and i.operation = $2 and i.key = $3`,
        [account, operation, key],
      )
      return row
    },
  }
}

/** The sum of all entries of a type on one UTC day. Charges are negative. */
type MoneyFlow = {
  /** YYYY-MM-DD. */
  readonly day: string
  readonly type: string
  readonly entries: number
  readonly usd: MicroUsd
  readonly dailyCredit: MicroUsd
}

/** Since a time in milliseconds since 1970, newest day first. */
export async function readMoneyFlow(
  database: Database,
  since: number,
): Promise<readonly MoneyFlow[]> {
  const rows = await database.query<{
    day: string
    type: string
    entries: bigint
    usd: bigint
    diem: bigint
  }>(
    `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, type, count(*) as entries, sum(amount)::bigint as usd,
       sum(diem_amount)::bigint as diem
     from entry where created_at >= $1::timestamptz group by 1, 2 order by 1 desc, 2`,
    [new Date(since).toISOString()],
  )
  return rows.map(({ day, type, entries, usd, diem }) => ({
    day,
    type,
    entries: Number(entries),
    usd,
    dailyCredit: diem,
  }))
}

type OpenHolds = {
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

type Place = { readonly limit: number; readonly offset: number }
type Page = {
  readonly balance: MicroUsd
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
}

export type Entries = {
  /**
   * Newest first. `hasMore`: older entries follow. `balance`: the spendable balance. Pages that are
   * read at once share a statement, which begins after they were asked for.
   */
  readonly entries: (account: string, place: Place) => Promise<Page>
}

/** A page has up to 100 entries, and a statement of PGlite stops the process while it runs. */
const pagesAtOnce = 20

export function createEntries(database: Database): Entries {
  const readMany = async (
    pages: readonly (Place & { readonly account: string })[],
  ): Promise<readonly Page[]> => {
    const rows = await database.query(
      `select p.place, a.balance - a.held as balance, a.entries > p."limit" + p."offset" as has_more, e.*
       from rows from (json_to_recordset($1::text::json) as (account text, "limit" bigint, "offset" bigint))
         with ordinality as p (account, "limit", "offset", place)
       join account a on a.name = p.account
       left join lateral (
         select * from entry
         where account_id = a.id and number <= a.entries - p."offset" and number > a.entries - p."offset" - p."limit"
         order by number desc limit p."limit"
       ) e on true
       order by p.place, e.number desc`,
      [JSON.stringify(pages)],
    )
    const byPlace = pages.map((): Row[] => [])
    for (const row of rows) byPlace[Number(row['place']) - 1]?.push(row)
    return byPlace.map(toPage)
  }
  const share = shareStatements({
    many: readMany,
    largest: pagesAtOnce,
  })
  return {
    // larger offsets do not fit into a bigint
    entries: (account, { limit, offset }) =>
      share({ account, limit, offset: Math.min(offset, Number.MAX_SAFE_INTEGER) }, account),
  }
}

function toPage(rows: readonly Row[]): Page {
  const [first] = rows
  const entries = rows.filter((row) => row['id'] !== null).map(toEntry)
  return {
    balance: (first?.['balance'] as bigint | undefined) ?? 0n,
    entries,
    hasMore: first?.['has_more'] === true,
  }
}

export function toEntry(row: Row): Entry {
  return {
    id: row['id'] as string,
    amount: row['amount'] as bigint,
    balanceAfter: row['balance_after'] as bigint,
    type: row['type'] as string,
    createdAt: row['created_at'] as Date,
    requestId: row['request_id'] as string | null,
    modelId: row['model_id'] as string | null,
    dailyCredit: row['diem_amount'] as bigint,
    refunds: row['refunds'] as string | null,
    actor: row['actor'] as string | null,
    reason: row['reason'] as string | null,
  }
}
