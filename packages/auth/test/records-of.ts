import type { PaymentRecord, PaymentStore } from '../src/payment/payment-store.js'

/** What a store holds. */
export async function recordsOf(store: PaymentStore): Promise<readonly PaymentRecord[]> {
  let found: readonly PaymentRecord[] = []
  await store.update((records) => (found = records))
  return found
}
