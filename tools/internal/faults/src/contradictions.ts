import { verdictOn, strayCharges, takenByRequest } from './charges.js'
import { faultsOfAccounts, faultsOfKeys, faultsOfTopUps } from './credits.js'
import type { Knowledge, LedgerRows } from './knowledge.js'

/**
 * What the ledger says that cannot be, given what callers saw. Empty when they agree. Every account
 * is the sum of its entries, and not below zero. A whole response that is paid for was charged
 * once, at its price. A refusal was not charged. What broke off was charged at most once, and so
 * was everything with one Idempotency-Key. A payment is credited once. A key stays in its limit.
 */
export function contradictions(
  { purchases, topUps, keys }: Knowledge,
  ledger: LedgerRows,
): readonly string[] {
  const taken = takenByRequest(ledger.entries)
  const known = new Set<string>()
  for (const { seen } of purchases)
    for (const one of seen) if (one.kind === 'response') known.add(one.requestId)
  const verdicts = purchases.map((purchase) => verdictOn(purchase, taken, ledger.videos))
  return [
    ...verdicts.flatMap(({ faults }) => faults),
    ...strayCharges(
      verdicts,
      [...taken].flatMap(([id, one]) => (known.has(id) ? [] : [one])),
    ),
    ...faultsOfAccounts(ledger),
    ...faultsOfTopUps(topUps, ledger.entries),
    ...faultsOfKeys(keys, ledger.entries),
  ]
}
