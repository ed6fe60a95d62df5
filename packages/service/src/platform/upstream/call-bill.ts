import { priceOfWork, type Work } from './price-of-work.js'
import type { ServedCall, UpstreamSettings } from './upstream-settings.js'
import type { WorkCost } from './work-cost.js'

/** What one call of an upstream bills. */
export type CallBill = {
  /**
   * The upstream has accepted the request. Returns its report, with the cost: as reported, or by
   * its prices for the work, which may be known better than before.
   */
  readonly accept: <Call extends Pick<ServedCall, 'costMicroUsd'>>(reported: Call, work?: Work) => Call
  /** The answer was lost, or the caller has left. */
  readonly lose: (hasDelivered: boolean) => void
}

/**
 * The bills of one request. A call whose answer was lost counts as billed, unless its upstream
 * bills only for bytes that it delivers (`free`). Calls under one Idempotency-Key (`keyed`) are one
 * bill.
 */
export function openBills(work: Work, cost: WorkCost | undefined): (settings: UpstreamSettings) => CallBill {
  const accepted = new Set<string>()
  let calls = 0
  return ({ name, repeat, cost: prices }) => {
    const call = repeat === 'keyed' ? name : `${name} ${++calls}`
    const note = (costMicroUsd: bigint | undefined) => cost?.note({ call, model: work.model, costMicroUsd })
    return {
      accept: (reported, done = work) => {
        accepted.add(call)
        const costMicroUsd = reported.costMicroUsd ?? priceOfWork(prices, done)
        note(costMicroUsd)
        return costMicroUsd === undefined ? reported : { ...reported, costMicroUsd }
      },
      lose: (hasDelivered) => {
        if (repeat === 'free' && !hasDelivered) note(0n)
        else if (!accepted.has(call)) note(priceOfWork(prices, work))
      },
    }
  }
}
