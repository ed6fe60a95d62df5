import type { Database, Row } from '../../platform/database/database.js'
import { holdRows } from '../../platform/database/held-rows.js'
import { StorageError } from '../../platform/database/storage-error.js'
import { selectUsage, type UsageQuery, type UsageRow } from './usage-query.js'

const rowsAtOnce = 1_000

/**
 * The rows of a report as the ledger is at one moment, sorted by their dimensions. The database
 * keeps them, and this process has a thousand at a time. On PostgreSQL the database must be one
 * session.
 */
export async function* readUsage(database: Database, query: UsageQuery): AsyncGenerator<UsageRow> {
  const [found] = await database.query(
    `select from pg_attribute where attrelid = to_regclass('entry') and attname = 'cost' and not attisdropped`,
  )
  if (!found) {
    throw new StorageError(
      'The database has no costs of entries, or no ledger. Start this version of the service on it once.',
    )
  }
  const held = await holdRows(database, [selectUsage(query)])
  try {
    for await (const row of held.read(0, rowsAtOnce)) yield usageRow(row)
  } finally {
    await held.close()
  }
}

/** Some rows of a report, and whether more follow. */
export async function readUsagePage(
  database: Database,
  query: UsageQuery,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly UsageRow[]; readonly hasMore: boolean }> {
  const rows = await database.query(
    `select * from (${selectUsage(query)}) report limit $1 offset $2`,
    [limit + 1, offset],
  )
  return { rows: rows.slice(0, limit).map(usageRow), hasMore: rows.length > limit }
}

function usageRow(row: Row): UsageRow {
  const [charged, refunded, cost] = [
    row['charged'] as bigint,
    row['refunded'] as bigint,
    row['cost'] as bigint | null,
  ]
  return {
    ...('day' in row && { day: row['day'] as string }),
    ...('key' in row && { key: row['key'] as string | null }),
    ...('wallet' in row && { wallet: row['wallet'] as string }),
    ...('model' in row && { model: row['model'] as string | null }),
    requests: Number(row['requests']),
    refunds: Number(row['refunds']),
    charged,
    refunded,
    dailyCredit: row['daily_credit'] as bigint,
    uncosted: Number(row['uncosted']),
    cost,
    margin: cost === null ? null : charged - refunded - cost,
  }
}
