import type {
  Knowledge,
  LedgerRows,
  Amount,
  EntryRow,
  Purchase,
  ApiKey,
  TopUp,
} from './knowledge.js'
import type { RequestOutcome } from './send.js'

/**
 * What the ledger says that cannot be, given what callers saw. Empty when they agree. Every account
 * is the sum of its entries, and not below zero. A whole response that is paid for was charged
 * once, at its price. A rejection was not charged. What broke off was charged at most once, and so
 * was everything with one Idempotency-Key. A payment is credited once. A key stays in its limit.
 */
export function findContradictions(
  { purchases, topUps, keys }: Knowledge,
  ledger: LedgerRows,
): readonly string[] {
  const taken = groupByRequest(ledger.entries)
  const known = new Set<string>()
  for (const { seen } of purchases)
    for (const one of seen) if (one.kind === 'response') known.add(one.requestId)
  const verdicts = purchases.map((purchase) => judgePurchase(purchase, taken, ledger.videos))
  return [
    ...verdicts.flatMap(({ faults }) => faults),
    ...findStrayCharges(
      verdicts,
      [...taken].flatMap(([id, one]) => (known.has(id) ? [] : [one])),
    ),
    ...findAccountFaults(ledger),
    ...findTopUpFaults(topUps, ledger.entries),
    ...findKeyFaults(keys, ledger.entries),
  ]
}

/** What a request took: its charges without its refunds. */
type RequestCharges = {
  readonly account: string
  readonly model: string | null
  charges: number
  amount: Amount
}

/** What each request took. */
function groupByRequest(entries: readonly EntryRow[]): ReadonlyMap<string, RequestCharges> {
  const found = new Map<string, RequestCharges>()
  for (const { account, model, type, amount, requestId } of entries) {
    if (requestId === null) continue
    const one = found.get(requestId) ?? { account, model, charges: 0, amount: 0n }
    one.charges += type === 'CHARGE' ? 1 : -1
    one.amount -= amount
    found.set(requestId, one)
  }
  return found
}

type Verdict = {
  readonly purchase: Purchase
  readonly faults: readonly string[]
  /** Charges for it that may be, or must be, under requests whose response was lost. */
  readonly mayStray: number
  readonly mustStray: number
}

/** What callers saw of a purchase, against the charges of these responses. */
function judgePurchase(
  purchase: Purchase,
  taken: ReadonlyMap<string, RequestCharges>,
  videos: LedgerRows['videos'],
): Verdict {
  const { account, model, price, hasKey, seen, isVideo = false, sellsParts = false } = purchase
  const faults: string[] = []
  const say = (requestId: string, what: string) =>
    faults.push(`${account} ${model} ${requestId}: ${what}`)
  let charged = 0
  let isDelivered = false
  let firstDelivered = ''
  for (const one of seen) {
    if (one.kind === 'lost') continue
    const { charges, amount } = taken.get(one.requestId) ?? { charges: 0, amount: 0n }
    const video = isVideo ? videos.get(readQueueId(one)) : undefined
    const isDone = one.status === 200 && one.isWhole && (!isVideo || video === 'completed')
    // a part of a response is charged for itself, and leaves the key free
    charged += amount === price ? charges : 0
    if (charges < 0 || charges > 1) say(one.requestId, `${charges} charges`)
    if (charges === 0 && amount !== 0n) say(one.requestId, `${amount} taken without a charge`)
    if (charges === 1 && (amount > price || (isDone && amount !== price)))
      say(one.requestId, `charged ${amount}, its price is ${price}`)
    if (charges > 0 && one.status !== 200)
      say(one.requestId, `charged ${amount}, but rejected with ${one.status}`)
    if (charges > 0 && video === 'failed')
      say(one.requestId, `charged ${amount} for a video that failed`)
    if (charges === 0 && isDone && !hasKey) say(one.requestId, 'delivered without a charge')
    if (isDone && !isDelivered) firstDelivered = one.requestId
    isDelivered ||= isDone
  }
  const lost = seen.filter(({ kind }) => kind === 'lost').length
  if (!hasKey) return { purchase, faults, mayStray: lost, mustStray: 0 }
  if (charged > 1) say('', `${charged} charges under one Idempotency-Key`)
  const mustStray = isDelivered && charged === 0 ? 1 : 0
  if (mustStray > lost) say(firstDelivered, 'delivered without a charge, under an Idempotency-Key')
  const mayStray = sellsParts ? lost : charged === 0 ? Math.min(1, lost) : 0
  return { purchase, faults, mayStray, mustStray: Math.min(mustStray, lost) }
}

function readQueueId({
  body,
  isWhole,
}: Extract<RequestOutcome, { readonly kind: 'response' }>): string {
  const { queue_id: id } = (isWhole ? JSON.parse(body.toString()) : {}) as {
    readonly queue_id?: string
  }
  return id ?? ''
}

/**
 * Charges of requests whose responses were lost must be those of purchases with lost responses.
 * Accounts without a purchase belong to the probes of a run.
 */
function findStrayCharges(
  verdicts: readonly Verdict[],
  strays: readonly RequestCharges[],
): readonly string[] {
  const nameGroup = (one: { readonly account: string; readonly model: string | null }) =>
    `${one.account} ${one.model ?? ''}`
  const accounts = new Set(verdicts.map(({ purchase }) => purchase.account))
  const foreign = strays.filter(({ account }) => accounts.has(account))
  const groups = new Set([...verdicts.map(({ purchase }) => purchase), ...foreign].map(nameGroup))
  return [...groups].flatMap((group) => {
    const own = verdicts.filter(({ purchase }) => nameGroup(purchase) === group)
    const prices = own
      .flatMap(({ purchase, mayStray }) => Array.from({ length: mayStray }, () => purchase.price))
      .toSorted(compareDescending)
    const needed = own.reduce((sum, { mustStray }) => sum + mustStray, 0)
    const charges = strays.filter(
      (one) => nameGroup(one) === group && (one.charges !== 0 || one.amount !== 0n),
    )
    const amounts = charges.map(({ amount }) => amount).toSorted(compareDescending)
    if (
      amounts.some((amount, place) => amount > (prices[place] ?? -1n)) ||
      charges.some((one) => one.charges !== 1)
    )
      return [
        `${group}: ${amounts.join()} charged for lost responses, whose prices are ${prices.join() || 'none'}`,
      ]
    return amounts.length < needed
      ? [`${group}: ${amounts.length} charges for lost responses, expected ${needed} or more`]
      : []
  })
}

function compareDescending(one: Amount, other: Amount): number {
  return one === other ? 0 : one < other ? 1 : -1
}

function findAccountFaults({ accounts, entries }: LedgerRows): readonly string[] {
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

function findTopUpFaults(
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

function findKeyFaults(keys: readonly ApiKey[], entries: readonly EntryRow[]): readonly string[] {
  return keys.flatMap(({ id, limit }) => {
    const spent = sum(entries.flatMap(({ keyId, amount }) => (keyId === id ? [-amount] : [])))
    return spent > limit ? [`key ${id} spent ${spent} of its limit of ${limit}`] : []
  })
}

function sum(amounts: readonly Amount[]): Amount {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
