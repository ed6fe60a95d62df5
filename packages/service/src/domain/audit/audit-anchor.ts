import type { Database } from '../../platform/database/database.js'
import { StorageError } from '../../platform/database/storage-error.js'
import { isRecord } from '../../platform/unknown-value.js'
import type { AppendFile } from '../../platform/line-file.js'
import { entriesAtOnce, type LedgerFault } from '../ledger/audit.js'

/**
 * Heads of chains in a file outside the database. An attacker who recomputes a whole chain in the
 * database cannot change the hashes in the file.
 */
export type AuditAnchor = {
  /** Compares every head in the file with the entry that it names. */
  readonly compare: () => Promise<readonly LedgerFault[]>
  /**
   * Appends the verified head of each account that changed since its last line. Skips accounts with
   * known faults. Resolves to accounts whose last line does not agree, which get no further line.
   */
  readonly advance: () => Promise<readonly LedgerFault[]>
}

type HeadRow = {
  readonly account_id: bigint
  readonly name: string
  readonly number: bigint
  readonly hash: Uint8Array
}

/** Rejects with a StorageError if the file is not an anchor. Skips an incomplete line. */
export async function createAuditAnchor(
  database: Database,
  file: AppendFile,
  { now }: { readonly now: () => number },
): Promise<AuditAnchor> {
  /** The last line of each account. */
  const last = new Map<bigint, AnchoredHead>()
  let isOurs: boolean | undefined
  for await (const line of file.lines()) {
    const head = parseHead(line)
    if (head) last.set(head.accountId, head)
    isOurs ??= head !== undefined
  }
  if (isOurs === false)
    throw new StorageError(
      `--audit-anchor: ${file.path} is not an anchor and was not changed. Give another file.`,
    )

  /** Verified heads after an account, of accounts that no audit found a fault in. */
  const readHeadsAfter = (accountId: bigint) =>
    database.query<HeadRow>(
      `select account_id, name, number, hash from audited_account a where account_id > $1 and number > 0
         and not exists (select from ledger_fault f where f.account_id = a.account_id) order by account_id limit $2`,
      [accountId, entriesAtOnce],
    )

  async function advanceSome(rows: readonly HeadRow[]): Promise<readonly LedgerFault[]> {
    const moved = rows.filter(({ account_id, number }) => last.get(account_id)?.number !== number)
    const known = moved.flatMap(({ account_id }) => last.get(account_id) ?? [])
    const faults = await findDifferences(database, known)
    const at = new Date(now()).toISOString()
    const heads = moved
      .filter(({ account_id }) => !faults.some(({ accountId }) => accountId === account_id))
      .map(({ account_id: accountId, name: account, number, hash }) => {
        return { at, accountId, account, number, hash: Buffer.from(hash).toString('hex') }
      })
    await file.append(heads.map(printHead))
    for (const head of heads) last.set(head.accountId, head)
    return faults
  }

  return {
    compare: async () => {
      const faults: LedgerFault[] = []
      let heads: AnchoredHead[] = []
      const flush = async () => {
        faults.push(...(await findDifferences(database, heads)))
        heads = []
      }
      for await (const line of file.lines()) {
        const head = parseHead(line)
        if (head) heads.push(head)
        if (heads.length === entriesAtOnce) await flush()
      }
      await flush()
      return keepFirstFaults(faults)
    },

    advance: async () => {
      const faults: LedgerFault[] = []
      for (let after = 0n; ;) {
        const rows = await readHeadsAfter(after)
        faults.push(...(await advanceSome(rows)))
        const end = rows.at(-1)
        if (!end || rows.length < entriesAtOnce) return faults
        after = end.account_id
      }
    },
  }
}

/** The heads that are missing from the ledger or have another hash there. */
async function findDifferences(
  database: Database,
  heads: readonly AnchoredHead[],
): Promise<readonly LedgerFault[]> {
  if (heads.length === 0) return []
  const asked = heads.map(({ accountId, number, hash }, place) => ({
    place,
    id: String(accountId),
    number: String(number),
    hash,
  }))
  const rows = await database.query<{ place: number; has_account: boolean; is_there: boolean }>(
    `select p.place, a.id is not null as has_account, e.hash is not null as is_there
     from json_to_recordset($1::text::json) as p (place int, id bigint, number bigint, hash text)
     left join account a on a.id = p.id left join entry e on e.account_id = p.id and e.number = p.number
     where e.hash is distinct from decode(p.hash, 'hex') order by p.place`,
    [JSON.stringify(asked)],
  )
  return rows.flatMap(({ place, has_account, is_there }) => {
    const head = heads[place]
    if (!head) return []
    const { account, number, at } = head
    const fault = is_there
      ? `entry ${number} or one before it was changed after ${at}, and the hashes were computed again: the anchor has another hash`
      : `entry ${number} is gone, which the anchor has of ${at}`
    return [{ accountId: has_account ? head.accountId : 0n, account, number, fault }]
  })
}

/** A chain that differs at one entry differs at all later ones. */
function keepFirstFaults(faults: readonly LedgerFault[]): readonly LedgerFault[] {
  return faults.filter(
    (one, place) => faults.findIndex(({ account }) => account === one.account) === place,
  )
}

/** An entry of an account with its hash, as an audit found them. */
type AnchoredHead = {
  /** RFC 3339. */
  readonly at: string
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  /** 64 hex digits. */
  readonly hash: string
}

function printHead({ at, accountId, account, number, hash }: AnchoredHead): string {
  return JSON.stringify({ at, id: String(accountId), account, entry: String(number), hash })
}

/** Undefined if it is not a line of an anchor. */
function parseHead(line: string): AnchoredHead | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (!isRecord(value)) return undefined
    const { at, id, account, entry, hash } = value
    const isHead =
      isMatchingString(at, /^\d{4}-/) &&
      isMatchingString(id, digits) &&
      isMatchingString(account, /^/) &&
      isMatchingString(entry, digits) &&
      isMatchingString(hash, /^[\da-f]{64}$/)
    return isHead ? { at, accountId: BigInt(id), account, number: BigInt(entry), hash } : undefined
  } catch {
    return undefined
  }
}

const digits = /^[1-9]\d{0,18}$/

function isMatchingString(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
