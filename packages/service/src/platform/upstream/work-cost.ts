/** What one call bills the operator. */
export type BilledCall = {
  /** The same for calls that are billed once, as they have one Idempotency-Key. */
  readonly call: string
  readonly model: string
  /** Undefined: it is not known. */
  readonly costMicroUsd: bigint | undefined
}

/** What the work of one request costs the operator: the bills of all upstreams that were asked. */
export type WorkCost = {
  /** A later note of the same call replaces the earlier one. */
  readonly note: (billed: BilledCall) => void
  /** In micro-USD. Undefined while there is no note, or the cost of a call is not known. */
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
  const known = () => [...calls.values()].reduce((sum, { costMicroUsd = 0n }) => sum + costMicroUsd, 0n)
  return {
    note: (billed) => void calls.set(billed.call, billed),
    total: () => (calls.size === 0 || [...calls.values()].some(({ costMicroUsd }) => costMicroUsd === undefined) ? undefined : known()),
    known,
    model: () => [...calls.values()].at(-1)?.model,
  }
}
