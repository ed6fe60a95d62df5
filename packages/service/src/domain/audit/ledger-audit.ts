import type { Database } from '../../platform/database/database.js'
import {
  auditLedger,
  entriesAtOnce,
  explainBreaks,
  walkChains,
  type LedgerFault,
} from '../ledger/audit.js'
import {
  entryColumns,
  readEntries,
  startPosition,
  verifyEntries,
  type Position,
} from '../ledger/chain.js'
import type { AuditAnchor } from './audit-anchor.js'
import {
  createAuditPositions,
  findFaults,
  findFaultsSinceAudit,
  readAccounts,
  type AccountState,
} from './audit-positions.js'

/**
 * Audits of the chain of entries, in steps of a few milliseconds, while the service charges. Each
 * continues where the last one of any process ended. Two simultaneous audits do the same work
 * twice, without harm.
 */
export type LedgerAudit = {
  /**
   * Verifies the entries since the last audit, and each account against its last entry. Resolves to
   * all faults found.
   */
  readonly auditNew: () => Promise<readonly LedgerFault[]>
  /** `auditNew`, and all entries from the first one, with the sums of `auditLedger`. */
  readonly auditAll: () => Promise<readonly LedgerFault[]>
  /**
   * One round of upkeep: `auditNew`, and a part of a pass over all entries, which begins once a
   * day. Does nothing within `everyMs` of the round of another process. Resolves to faults that
   * were not known, and to undefined where it did nothing.
   */
  readonly round: (everyMs: number) => Promise<readonly LedgerFault[] | undefined>
  /** The known faults. */
  readonly countFaults: () => Promise<number>
}

type LedgerAuditOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Accounts in one statement. Default: 500. */
  readonly accountsAtOnce?: number
  /** New entries that one round verifies, and entries of the pass over all. Default: 10,000. */
  readonly entriesOfRound?: number
  /** Whether the next audit continues where this one ended. Default: true. */
  readonly isKept?: boolean
  /**
   * Is compared by `auditNew`, `auditAll` and the first round, and gets the heads that an audit
   * verified.
   */
  readonly anchor?: AuditAnchor
}

const passMs = 86_400_000

/** Entries that may still be read. */
type Budget = { left: number }

export function createLedgerAudit(database: Database, options: LedgerAuditOptions): LedgerAudit {
  const { now, accountsAtOnce = 500, entriesOfRound = 10_000, isKept = true, anchor } = options
  let isCompared = false
  const positions = createAuditPositions(database)
  const known = createLedgerFaults(database, now)

  /** Verifies the entries of these accounts after the audited ones, and stores how far it came. */
  async function auditEntries(
    accounts: readonly AccountState[],
    budget: Budget,
  ): Promise<readonly LedgerFault[]> {
    const faults: LedgerFault[] = []
    const names = new Map(accounts.map(({ id, name }) => [id, name]))
    const ends = new Map<bigint, Position>(
      accounts.map(({ id, audited_number, audited_hash }) => {
        return [
          id,
          {
            accountId: id,
            number: audited_number,
            hash: audited_hash ? Buffer.from(audited_hash) : startPosition().hash,
          },
        ]
      }),
    )
    for (;;) {
      if (budget.left <= 0) return faults
      const asked = [...ends.values()].map(({ accountId, number }) => ({
        id: String(accountId),
        number: String(number),
      }))
      const entries = await readEntries(
        database,
        `select ${entryColumns} from json_to_recordset($1::text::json) as p (id bigint, number bigint) join account a on a.id = p.id
         cross join lateral (
           select * from entry where account_id = p.id and entry.number > p.number and entry.number <= a.entries order by entry.number limit $2
         ) e order by e.account_id, e.number limit $2`,
        [JSON.stringify(asked), entriesAtOnce],
      )
      const verified = verifyEntries(
        entries,
        (accountId) => ends.get(accountId) ?? startPosition(accountId),
      )
      faults.push(...(await explainBreaks(database, verified.breaks)))
      for (const end of verified.ends) ends.set(end.accountId, end)
      if (isKept) {
        await positions.save(
          verified.ends.map((end) => ({ ...end, name: names.get(end.accountId) ?? '' })),
        )
      }
      budget.left -= entries.length
      if (entries.length < entriesAtOnce) return faults
    }
  }

  /** `faultsIn`: the faults of an account itself. */
  async function auditAccounts(
    faultsIn: (state: AccountState) => readonly string[],
    budget: Budget,
  ): Promise<readonly LedgerFault[]> {
    const faults: LedgerFault[] = []
    for (let after = 0n; ;) {
      const accounts = await readAccounts(database, after, accountsAtOnce)
      for (const state of accounts) {
        faults.push(
          ...faultsIn(state).map((fault) => ({
            accountId: state.id,
            account: state.name,
            number: 0n,
            fault,
          })),
        )
      }
      const behind = accounts.filter(({ audited_number, entries }) => audited_number < entries)
      if (behind.length > 0) faults.push(...(await auditEntries(behind, budget)))
      const last = accounts.at(-1)
      if (!last || accounts.length < accountsAtOnce) return faults
      after = last.id
    }
  }

  const auditNew = (most: number) =>
    auditAccounts((state) => [...findFaultsSinceAudit(state), ...findFaults(state)], { left: most })

  /** Compares the anchor. Stores the faults, and anchors the verified entries. */
  async function conclude(
    found: readonly LedgerFault[],
    only: boolean,
  ): Promise<readonly LedgerFault[]> {
    const faults = deduplicateFaults([...found, ...((await anchor?.compare()) ?? [])])
    if (!isKept) return faults
    await known.add(faults)
    if (only) await known.keepOnly(faults)
    await anchor?.advance()
    return faults
  }

  /** Of a round: the whole file once, and then the lines of accounts that moved. */
  async function anchorRound(): Promise<readonly LedgerFault[]> {
    if (!anchor) return []
    const compared = isCompared ? [] : await known.add(deduplicateFaults(await anchor.compare()))
    isCompared = true
    return [...compared, ...(await known.add(await anchor.advance()))]
  }

  return {
    auditNew: async () => conclude(await auditNew(Infinity), false),

    auditAll: async () => {
      const since = await auditAccounts(findFaultsSinceAudit, { left: Infinity })
      return conclude([...(await auditLedger(database)), ...since], true)
    },

    round: async (everyMs) => {
      if (!(await positions.take(everyMs))) return undefined
      const faults = [...(await auditNew(entriesOfRound))]
      const pass = await positions.readPass()
      const from =
        pass?.to ??
        (pass === undefined || now() - pass.startedAt >= passMs ? startPosition() : undefined)
      if (from) {
        const { breaks, to } = await walkChains(database, from, entriesOfRound)
        faults.push(...(await explainBreaks(database, breaks)))
        await positions.savePass({ startedAt: pass?.to ? pass.startedAt : now(), to })
      }
      const fresh = await known.add(deduplicateFaults(faults))
      return [...fresh, ...(await anchorRound())]
    },

    countFaults: known.count,
  }
}

function deduplicateFaults(faults: readonly LedgerFault[]): readonly LedgerFault[] {
  const keys = new Map(faults.map((one) => [`${one.accountId} ${one.number} ${one.fault}`, one]))
  return [...keys.values()]
}

/** The faults that audits found, kept until a full audit no longer finds them. */
type LedgerFaults = {
  /** Returns those that were not known. Those of no account (id 0) are not kept, and always new. */
  readonly add: (faults: readonly LedgerFault[]) => Promise<readonly LedgerFault[]>
  /** Forgets all others. */
  readonly keepOnly: (faults: readonly LedgerFault[]) => Promise<void>
  readonly count: () => Promise<number>
}

function createLedgerFaults(database: Database, now: () => number): LedgerFaults {
  const asJson = (faults: readonly LedgerFault[]) =>
    JSON.stringify(
      faults.map(({ accountId, number, fault }) => ({
        id: String(accountId),
        number: String(number),
        fault,
      })),
    )
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
        added.some(
          (row) =>
            row.account_id === one.accountId &&
            row.number === one.number &&
            row.fault === one.fault,
        )
      return faults.filter((one) => one.accountId === 0n || isAdded(one))
    },

    keepOnly: async (faults) => {
      await database.query(
        `delete from ledger_fault k where not exists (select from ${rows} where f.id = k.account_id and f.number = k.number and f.fault = k.fault)`,
        [asJson(faults)],
      )
    },

    count: async () => {
      const [row] = await database.query<{ count: bigint }>(
        'select count(*) as count from ledger_fault',
      )
      return Number(row?.count ?? 0n)
    },
  }
}
