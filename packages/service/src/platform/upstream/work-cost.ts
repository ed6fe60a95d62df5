import type {
  CostSettings,
  Prices,
  ServedCall,
  UpstreamSettings,
  Work,
} from './upstream-settings.js'

/** What one call bills the operator. */
type BilledCall = {
  /** The same for calls that are billed once, as they have one Idempotency-Key. */
  readonly call: string
  readonly model: string
  /** Undefined if unknown. */
  readonly costMicroUsd: bigint | undefined
}

/** What the work of one request costs the operator: the bills of all upstreams that were asked. */
export type WorkCost = {
  /** A later note of the same call replaces the earlier one. */
  readonly note: (billed: BilledCall) => void
  /** In micro-USD. Undefined without notes, or if the cost of a call is unknown. */
  readonly total: () => bigint | undefined
  /** In micro-USD, of the calls whose cost is known. */
  readonly known: () => bigint
  readonly model: () => string | undefined
}

/** For a backend of this process, which no other service bills. */
export function noteOwnWork(cost: WorkCost | undefined, model: string): void {
  cost?.note({ call: 'local', model, costMicroUsd: 0n })
}

export function createWorkCost(): WorkCost {
  const calls = new Map<string, BilledCall>()
  return {
    note: (billed) => void calls.set(billed.call, billed),
    total: () => {
      if (calls.size === 0) return undefined
      let sum = 0n
      for (const { costMicroUsd } of calls.values()) {
        if (costMicroUsd === undefined) return undefined
        sum += costMicroUsd
      }
      return sum
    },
    known: () => {
      let sum = 0n
      for (const { costMicroUsd = 0n } of calls.values()) sum += costMicroUsd
      return sum
    },
    model: () => [...calls.values()].at(-1)?.model,
  }
}

/** What one call of an upstream bills. */
export type CallBill = {
  /**
   * The upstream has accepted the request. Returns its report, with the cost: as reported, or by
   * its prices for the work, which may be known better than before.
   */
  readonly accept: <Call extends Pick<ServedCall, 'costMicroUsd'>>(
    reported: Call,
    work?: Work,
  ) => Call
  /** The response was lost, or the caller has left. */
  readonly lose: (hasDelivered: boolean) => void
}

/**
 * The bills of one request. A call whose response was lost counts as billed, unless its upstream
 * bills only for bytes that it delivers (`free`). Calls under one Idempotency-Key (`keyed`) are one
 * bill.
 */
export function openBills(
  work: Work,
  cost: WorkCost | undefined,
): (settings: UpstreamSettings) => CallBill {
  const accepted = new Set<string>()
  let calls = 0
  return ({ name, repeat, cost: prices }) => {
    const call = repeat === 'keyed' ? name : `${name} ${++calls}`
    const note = (costMicroUsd: bigint | undefined) =>
      cost?.note({ call, model: work.model, costMicroUsd })
    return {
      accept: (reported, done = work) => {
        accepted.add(call)
        const costMicroUsd = reported.costMicroUsd ?? priceWork(prices, done)
        note(costMicroUsd)
        return costMicroUsd === undefined ? reported : { ...reported, costMicroUsd }
      },
      lose: (hasDelivered) => {
        if (repeat === 'free' && !hasDelivered) note(0n)
        else if (!accepted.has(call)) note(priceWork(prices, work))
      },
    }
  }
}

/** Micro-USD times this are whole numbers in each unit. */
const scale = 1_000_000

/**
 * What an upstream bills for the work by its prices, in micro-USD, rounded up. Undefined if it has
 * no price for it.
 */
function priceWork({ models, ...usual }: CostSettings, work: Work): bigint | undefined {
  const { characters = 0, seconds = 0, bytes = 0, minutes = 0 } = work
  const { inputTokens = 0, outputTokens = 0, images = 0 } = work
  const prices: Prices = models?.[work.model] ?? usual
  const parts = [
    [prices.usdPerRequest, scale],
    [prices.usdPerMillionCharacters, characters],
    [prices.usdPerSecond, seconds * scale],
    [prices.usdPerMegabyte, bytes],
    [prices.usdPerMillionInputTokens, inputTokens],
    [prices.usdPerMillionOutputTokens, outputTokens],
    [prices.usdPerImage, images * scale],
    [prices.usdPerMinute, minutes * scale],
  ] as const
  const known = parts.flatMap(([usd, units]) =>
    usd === undefined ? [] : [BigInt(Math.round(usd * 1e6)) * BigInt(Math.ceil(units))],
  )
  if (known.length === 0) return undefined
  const sum = known.reduce((total, part) => total + part, 0n)
  return (sum + BigInt(scale - 1)) / BigInt(scale)
}

/** Up to this amount, in micro-USD, a reported cost is believed. */
const highestCost = 10n ** 15n

/**
 * The cost that an upstream reports in a header, as USD in decimals, also with an exponent: some
 * servers print small costs as 1.5e-05. Rounded up to a micro-USD. Empty if the header is missing or
 * not such a number.
 */
export function readCost(
  headers: Headers,
  name: string | undefined,
): { readonly costMicroUsd?: bigint } {
  const text = name === undefined ? '' : (headers.get(name) ?? '')
  const [, whole = '', decimals = '', exponent = '0'] =
    /^(\d{1,9})(?:\.(\d{1,30}))?(?:e([+-]?\d{1,2}))?$/i.exec(text) ?? []
  if (whole === '') return {}
  const digits = BigInt(whole + decimals)
  const shift = 6 + Number(exponent) - decimals.length
  const divisor = 10n ** BigInt(Math.max(0, -shift))
  const costMicroUsd = (digits * 10n ** BigInt(Math.max(0, shift)) + divisor - 1n) / divisor
  return costMicroUsd < highestCost ? { costMicroUsd } : {}
}
