import type { Database } from '../../platform/database/database.js'
import { takeTurn } from '../../platform/database/take-turn.js'
import { firstHash } from '../ledger/chain.js'
import type { Position } from '../ledger/chain.js'

/** Where audits have come to, stored for the next round and for other processes. */
export type AuditPositions = {
  /** False while another process did a round less than `everyMs` ago. */
  readonly take: (everyMs: number) => Promise<boolean>
  /** The last entry of each account that was verified. */
  readonly save: (ends: readonly (Position & { readonly name: string })[]) => Promise<void>
  readonly readPass: () => Promise<Pass | undefined>
  readonly savePass: (pass: Pass) => Promise<void>
}

/** A pass over all entries. `to` is undefined once it is over. Times are Unix milliseconds. */
export type Pass = { readonly startedAt: number; readonly to: Position | undefined }

const roundName = 'time of the ledger audit'
const passName = 'pass of the ledger audit'

export function createAuditPositions(database: Database): AuditPositions {
  return {
    take: (everyMs) => takeTurn(database, roundName, everyMs),

    save: async (ends) => {
      if (ends.length === 0) return
      const rows = ends.map(({ accountId, name, number, hash }) => ({
        id: String(accountId),
        name,
        number: String(number),
        hash: hash.toString('hex'),
      }))
      await database.query(
        `insert into audited_account (account_id, name, number, hash)
         select id, name, number, decode(hash, 'hex')
         from json_to_recordset($1::text::json) as p (id bigint, name text, number bigint, hash text)
         on conflict (account_id) do update set number = excluded.number, hash = excluded.hash where audited_account.number < excluded.number`,
        [JSON.stringify(rows)],
      )
    },

    readPass: async () => {
      const [row] = await database.query<{ value: string }>(
        'select value from setting where name = $1',
        [passName],
      )
      if (!row) return undefined
      const { startedAt, accountId, number, hash } = JSON.parse(row.value) as Record<string, string>
      if (accountId === undefined) return { startedAt: Number(startedAt), to: undefined }
      return {
        startedAt: Number(startedAt),
        to: {
          accountId: BigInt(accountId),
          number: BigInt(number ?? 0),
          hash: hash === undefined ? firstHash : Buffer.from(hash, 'hex'),
        },
      }
    },

    savePass: async ({ startedAt, to }) => {
      const place = to && {
        accountId: String(to.accountId),
        number: String(to.number),
        hash: to.hash.toString('hex'),
      }
      await database.query(
        'insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
        [passName, JSON.stringify({ startedAt: String(startedAt), ...place })],
      )
    },
  }
}
