import type { Database } from '../../platform/database/database.js'
import { explainBreak } from './explain-break.js'
import { entriesAfter, startPosition, verifyEntries, type Break, type Position } from './verify-chain.js'

/** Entries in one statement, which takes a few milliseconds. */
export const entriesAtOnce = 500

/** Faults that are explained, each with statements of its own; further ones are only counted. */
const most = 100

/** What does not agree in the ledger: at an entry, or at the account itself (`number` 0). */
export type LedgerFault = { readonly accountId: bigint; readonly account: string; readonly number: bigint; readonly fault: string }

/** Verifies the hashes of all entries, in steps that do not block other work. */
export async function auditChains(database: Database): Promise<readonly LedgerFault[]> {
  const { breaks } = await walkChains(database, startPosition(), Infinity)
  return explainBreaks(database, breaks)
}

/**
 * Verifies up to `most` entries after a position. `to` is the last of them, and undefined after the
 * last entry of all.
 */
export async function walkChains(
  database: Database,
  from: Position,
  most: number,
): Promise<{ readonly breaks: readonly Break[]; readonly to: Position | undefined; readonly count: number }> {
  const breaks: Break[] = []
  let to = from
  let count = 0
  while (count < most) {
    const begin = to
    const entries = await entriesAfter(database, begin, entriesAtOnce)
    const verified = verifyEntries(entries, (accountId) => (accountId === begin.accountId ? begin : startPosition(accountId)))
    breaks.push(...verified.breaks)
    count += entries.length
    to = verified.ends.at(-1) ?? begin
    if (entries.length < entriesAtOnce) return { breaks, to: undefined, count }
  }
  return { breaks, to, count }
}

export async function explainBreaks(database: Database, breaks: readonly Break[]): Promise<readonly LedgerFault[]> {
  const faults: LedgerFault[] = []
  for (const found of breaks.slice(0, most)) {
    const { accountId, account, number } = found
    const followsBreak = breaks.some((one) => one.accountId === accountId && one.number === number - 1n)
    const fault = await explainBreak(database, found, followsBreak)
    if (fault !== undefined) faults.push({ accountId, account, number, fault })
  }
  const last = breaks[most]
  if (last) faults.push({ ...last, fault: `${breaks.length - most} more entries do not agree with their hashes` })
  return faults
}
