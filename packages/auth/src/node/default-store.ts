import { homedir } from 'node:os'
import { join } from 'node:path'
import type { PaymentStore } from '../journal/payment-store.js'
import { folderPaymentStore } from './folder-payment-store.js'

const stores = new Map<string, PaymentStore>()

/** One store for each folder, so that all payments of this process take turns. */
export function defaultPaymentStore(): PaymentStore {
  const folder = defaultPaymentFolder(process.env)
  const store = stores.get(folder) ?? folderPaymentStore(folder)
  stores.set(folder, store)
  return store
}

/**
 * `farebox/payments` in the user's state folder (XDG Base Directory Specification), which the SDK
 * and the command share.
 */
export function defaultPaymentFolder({ XDG_STATE_HOME: state, HOME: home }: Readonly<Record<string, string | undefined>>): string {
  return join(state || join(home || homedir(), '.local', 'state'), 'farebox', 'payments')
}
