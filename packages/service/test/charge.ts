import type {
  CaptureResult,
  HoldResult,
  Idempotency,
  Purchase,
} from '../src/domain/ledger/ledger-types.js'
import type { Ledger } from '../src/domain/ledger/ledger.js'

/** Holds a price and captures all of it, as the service does for a request. */
export async function charge(
  ledger: Ledger,
  { idempotency, ...purchase }: Purchase & { readonly idempotency?: Idempotency },
): Promise<CaptureResult | Exclude<HoldResult, { readonly status: 'held' }>> {
  const held = await ledger.hold(purchase, 60_000)
  return held.status === 'held'
    ? ledger.capture(held.id, purchase.amount, purchase.modelId, idempotency)
    : held
}
