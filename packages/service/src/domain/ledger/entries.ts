import type { Database, Row } from '../../platform/database/database.js'
import type { Entry } from './ledger-types.js'
import type { MicroUsd } from './money.js'
import { shareStatements } from './statements.js'

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
