import type { PaymentRecord, PaymentStore } from './journal/payment-store.js'

/**
 * The payments of a store that were refused or got no answer and can still be settled, of all
 * wallets and services.
 */
export async function openPayments(store: PaymentStore, now: () => number = Date.now): Promise<readonly PaymentRecord[]> {
  let found: readonly PaymentRecord[] = []
  await store.update((records) => {
    found = records.filter(({ state, heldUntil }) => state !== 'settled' && now() < heldUntil)
    return records
  })
  return found
}

/**
 * Removes the record of a payment whose cancellation was mined. It no longer counts towards the
 * caps, and the next purchase does not send it again.
 */
export async function forgetPayment(store: PaymentStore, { nonce }: Pick<PaymentRecord, 'nonce'>): Promise<void> {
  await store.update((records) => records.filter((one) => one.nonce !== nonce))
}
