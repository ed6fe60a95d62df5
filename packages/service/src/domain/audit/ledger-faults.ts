import type { Database } from '../../platform/database/database.js'
import type { LedgerFault } from '../ledger/audit-chains.js'

/** What audits found, kept until an audit of all does not find it any more. */
export type LedgerFaults = {
  /** Returns those that were not known. Those of no account (id 0) are not kept, and always new. */
  readonly add: (faults: readonly LedgerFault[]) => Promise<readonly LedgerFault[]>
  /** Forgets all others. */
  readonly keepOnly: (faults: readonly LedgerFault[]) => Promise<void>
  readonly count: () => Promise<number>
}

export function createLedgerFaults(database: Database, now: () => number): LedgerFaults {
  const asJson = (faults: readonly LedgerFault[]) =>
    JSON.stringify(faults.map(({ accountId, number, fault }) => ({ id: String(accountId), number: String(number), fault })))
  const rows = 'json_to_recordset($1::text::json) as f (id bigint, number bigint, fault text)'
  return {
    add: async (faults) => {
      if (faults.length === 0) return []
      const added = await database.query<{ account_id: bigint; number: bigint; fault: string }>(
        `insert into ledger_fault (account_id, number, fault, found_at) select distinct id, number, fault, $2::timestamptz from ${rows} where id <> 0
         on conflict do nothing returning account_id, number, fault`,
        [asJson(faults), new Date(now()).toISOString()],
      )
      const isAdded = (one: LedgerFault) =>
        added.some((row) => row.account_id === one.accountId && row.number === one.number && row.fault === one.fault)
      return faults.filter((one) => one.accountId === 0n || isAdded(one))
    },

    keepOnly: async (faults) => {
      await database.query(
        `delete from ledger_fault k where not exists (select from ${rows} where f.id = k.account_id and f.number = k.number and f.fault = k.fault)`,
        [asJson(faults)],
      )
    },

    count: async () => {
      const [row] = await database.query<{ count: bigint }>('select count(*) as count from ledger_fault')
      return Number(row?.count ?? 0n)
    },
  }
}
