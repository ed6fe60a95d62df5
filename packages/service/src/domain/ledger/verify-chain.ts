import { createHash } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import { contentOfRow, firstHash } from './chain.js'

/** An entry with what its hash covers. */
export type ChainedEntry = {
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  readonly content: string
  readonly hash: Buffer
}

/** Up to where a chain is verified. */
export type Position = { readonly accountId: bigint; readonly number: bigint; readonly hash: Buffer }

/** Before the entries of an account, or of all without one. */
export function startPosition(accountId = 0n): Position {
  return { accountId, number: 0n, hash: firstHash }
}

/** The fault of the chain at an entry. `missing`: entries from there to before `number`. */
export type Break = {
  readonly accountId: bigint
  readonly account: string
  readonly number: bigint
  readonly kind: 'changed' | 'hash changed' | 'missing'
  /** The number before the missing ones. */
  readonly after?: bigint
}

type EntryRow = {
  readonly account_id: bigint
  readonly name: string
  readonly number: bigint
  readonly content: string
  readonly hash: Uint8Array
}

/** Columns of an entry `e` and its account `a`, as `readEntries` takes them. */
export const entryColumns = `e.account_id, a.name, e.number, ${contentOfRow('e', 'a')} as content, e.hash`

/** Runs a statement that returns `entryColumns`. */
export async function readEntries(database: Database, sql: string, params: readonly unknown[]): Promise<readonly ChainedEntry[]> {
  const rows = await database.query<EntryRow>(sql, params)
  return rows.map(({ account_id: accountId, name: account, number, content, hash }) => {
    return { accountId, account, number, content, hash: Buffer.from(hash) }
  })
}

/** The entries after a position in the order of account and number. */
export function entriesAfter(database: Database, { accountId, number }: Position, limit: number): Promise<readonly ChainedEntry[]> {
  return readEntries(
    database,
    `select ${entryColumns} from entry e join account a on a.id = e.account_id
     where (e.account_id, e.number) > ($1::bigint, $2::bigint) order by e.account_id, e.number limit $3`,
    [accountId, number, limit],
  )
}

export function sha256(previous: Buffer, content: string): Buffer {
  return createHash('sha256').update(previous).update(content).digest()
}

export type Verified = {
  readonly breaks: readonly Break[]
  /** The last entry of each account. */
  readonly ends: readonly Position[]
}

/**
 * Verifies entries in the order of account and number. `before` is where those of an account begin.
 * Goes on with the hash that an entry has, also where it is wrong, so that one change is one break.
 * An entry after a missing one cannot be verified.
 */
export function verifyEntries(entries: readonly ChainedEntry[], before: (accountId: bigint) => Position): Verified {
  const breaks: Break[] = []
  const ends = new Map<bigint, Position>()
  let at = startPosition()
  /** The hash that the entry before should have, where it has another. */
  let computed: Buffer | undefined
  for (const { accountId, account, number, content, hash } of entries) {
    const found = (kind: Break['kind'], more: Partial<Break> = {}) => breaks.push({ accountId, account, number, kind, ...more })
    if (accountId !== at.accountId) {
      at = before(accountId)
      computed = undefined
    }
    const isNext = number === at.number + 1n
    if (!isNext) found('missing', { after: at.number })
    const expected = sha256(at.hash, content)
    const last = breaks.at(-1)
    if (!isNext || expected.equals(hash)) computed = undefined
    else if (computed && last && sha256(computed, content).equals(hash)) {
      breaks.splice(-1, 1, { ...last, kind: 'hash changed' })
      computed = undefined
    } else {
      found('changed')
      computed = expected
    }
    at = { accountId, number, hash }
    ends.set(accountId, at)
  }
  return { breaks, ends: [...ends.values()] }
}
