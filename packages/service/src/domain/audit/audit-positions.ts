import type { Database } from '../../platform/database/database.js'
import { takeTurn } from '../../platform/database/take-turn.js'
import { firstHash, type Position } from '../ledger/chain.js'

/** How far audits have come, stored for the next round and for other processes. */
type AuditPositions = {
  /** False while another process did a round less than `everyMs` ago. */
  readonly take: (everyMs: number) => Promise<boolean>
  /** The last entry of each account that was verified. */
  readonly save: (ends: readonly (Position & { readonly name: string })[]) => Promise<void>
  readonly readPass: () => Promise<Pass | undefined>
  readonly savePass: (pass: Pass) => Promise<void>
}

/** A pass over all entries. `to` is undefined once it is over. Times are Unix milliseconds. */
type Pass = { readonly startedAt: number; readonly to: Position | undefined }

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

/** An account as it is, and as the last audit left it, at one moment. */
export type AccountState = {
  readonly id: bigint
  readonly name: string
  readonly balance: bigint
  readonly held: bigint
  readonly entries: bigint
  /** Whether the hash of the account is that of its last entry. */
  readonly has_head: boolean
  /** The last entry that there is. */
  readonly last_number: bigint
  readonly last_balance: bigint
  /** The sum of its open holds. */
  readonly holds: bigint
  readonly audited_name: string | null
  readonly audited_number: bigint
  readonly audited_hash: Uint8Array | null
  /** Whether that entry is there, with the hash of then. */
  readonly is_as_audited: boolean
}

/** Accounts in the order of their ids. Each takes three rows of an index. */
export function readAccounts(
  database: Database,
  after: bigint,
  limit: number,
): Promise<readonly AccountState[]> {
  return database.query<AccountState>(
    `select a.id, a.name, a.balance, a.held, a.entries, a.entries = 0 or coalesce(h.hash = a.head, false) as has_head,
       coalesce(l.number, 0) as last_number, coalesce(l.balance_after, 0) as last_balance, coalesce(held.usd, 0)::bigint as holds,
       c.name as audited_name, coalesce(c.number, 0) as audited_number, c.hash as audited_hash,
       coalesce(c.number, 0) = 0 or coalesce(k.hash = c.hash, false) as is_as_audited
     from (select * from account where id > $1 order by id limit $2) a
     left join lateral (select number, balance_after from entry where account_id = a.id order by number desc limit 1) l on true
     left join entry h on h.account_id = a.id and h.number = a.entries
     left join audited_account c on c.account_id = a.id
     left join entry k on k.account_id = a.id and k.number = c.number
     left join (select account_id, sum(usd) as usd from hold where state = 'held' group by account_id) held on held.account_id = a.id
     order by a.id`,
    [after, limit],
  )
}

/** What differs from the last audit of an account. */
export function findFaultsSinceAudit({
  name,
  entries,
  audited_name,
  audited_number,
  is_as_audited,
}: AccountState): readonly string[] {
  return listFailedChecks([
    [audited_name !== null && audited_name !== name, `its name was ${audited_name ?? ''}`],
    [audited_number > entries, `${audited_number} entries were audited, ${entries} are counted`],
    [
      !is_as_audited && audited_number <= entries,
      `entry ${audited_number} has another hash than when it was audited`,
    ],
  ])
}

/** The faults of an account that can be found without reading the entries before the last one. */
export function findFaults(state: AccountState): readonly string[] {
  const { balance, held, entries, has_head, last_number, last_balance, holds } = state
  return listFailedChecks([
    [entries !== last_number, `${entries} entries are counted, the last is number ${last_number}`],
    [
      balance !== last_balance,
      `the balance is ${balance}, entry ${last_number} left ${last_balance}`,
    ],
    [!has_head, `its hash is not that of entry ${entries}`],
    [held !== holds, `${held} is held, its holds add up to ${holds}`],
  ])
}

function listFailedChecks(checks: readonly (readonly [boolean, string])[]): readonly string[] {
  return checks.filter(([isWrong]) => isWrong).map(([, fault]) => fault)
}
