import type { Amount, ApiKey, EntryRow, LedgerRows, TopUp } from './knowledge.js'

export function faultsOfAccounts({ accounts, entries }: LedgerRows): readonly string[] {
  const sums = new Map<string, Amount>()
  for (const { account, amount } of entries) sums.set(account, (sums.get(account) ?? 0n) + amount)
  return accounts.flatMap(({ account, balance, held }) => {
    const sum = sums.get(account) ?? 0n
    return [
      ...(sum === balance
        ? []
        : [`${account}: the balance is ${balance}, its entries add up to ${sum}`]),
      ...(held >= 0n && held <= balance ? [] : [`${account}: ${held} of ${balance} are held`]),
    ]
  })
}

export function faultsOfTopUps(
  topUps: readonly TopUp[],
  entries: readonly EntryRow[],
): readonly string[] {
  return [...new Set(topUps.map(({ account }) => account))].flatMap((account) => {
    const credited = entries
      .filter((entry) => entry.account === account && entry.type === 'TOP_UP')
      .map(({ amount }) => amount)
    const own = topUps.filter((topUp) => topUp.account === account)
    const certain = own.filter(({ seen }) =>
      seen.some((one) => one.kind === 'response' && one.status === 200),
    )
    const possible = own.filter(({ seen }) =>
      seen.some((one) => one.kind === 'lost' || one.status >= 500 || one.status === 200),
    )
    const total = sum(credited)
    const between = [
      sum(certain.map(({ amount }) => amount)),
      sum(possible.map(({ amount }) => amount)),
    ] as const
    const isRight =
      credited.length >= certain.length &&
      credited.length <= possible.length &&
      total >= between[0] &&
      total <= between[1]
    return isRight
      ? []
      : [
          `${account}: ${total} credited in ${credited.length} top-ups, expected ${between.join(' to ')}`,
        ]
  })
}

export function faultsOfKeys(
  keys: readonly ApiKey[],
  entries: readonly EntryRow[],
): readonly string[] {
  return keys.flatMap(({ id, limit }) => {
    const spent = sum(entries.flatMap(({ keyId, amount }) => (keyId === id ? [-amount] : [])))
    return spent > limit ? [`key ${id} spent ${spent} of its limit of ${limit}`] : []
  })
}

function sum(amounts: readonly Amount[]): Amount {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
