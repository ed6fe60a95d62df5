import { updateVersions } from '@farebox/middleware/node'
import type { PaymentRecord, PaymentStore } from '../payment/payment-store.js'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Records payments in a folder, for all processes of one machine. The first payment creates it;
 * only its owner can read it.
 *
 * The records are the file `N.json` with the highest N, which `updateVersions` replaces without a
 * lock: a process that is killed at any point never keeps others waiting.
 *
 * @example
 * ```ts
 * pay(signer, { ...caps, store: folderPaymentStore('/var/lib/app/payments') })
 * ```
 */
export function folderPaymentStore(folder: string): PaymentStore {
  return {
    update: (change) =>
      updateVersions(
        folder,
        (text, path) => {
          const records = text === undefined ? [] : parse(path, text)
          const replacement = change(records)
          return replacement === records
            ? undefined
            : JSON.stringify({ version: 1, records: replacement })
        },
        { kept: 16, extension: '.json', durable: true },
      ),
  }
}

function parse(path: string, text: string): readonly PaymentRecord[] {
  try {
    const { version, records } = JSON.parse(text) as {
      readonly version?: unknown
      readonly records?: unknown
    }
    if (version === 1 && Array.isArray(records)) return records as readonly PaymentRecord[]
  } catch {
    // falls through to the same error
  }
  throw new Error(`${path} does not contain records that this version can read`)
}

const stores = new Map<string, PaymentStore>()

/** One store for each folder, so that the payments of this process run one at a time. */
export function defaultPaymentStore(): PaymentStore {
  const folder = defaultPaymentFolder(process.env)
  const store = stores.get(folder) ?? folderPaymentStore(folder)
  stores.set(folder, store)
  return store
}

/**
 * `farebox/payments` in the user's state folder (XDG Base Directory Specification), shared by the
 * SDK and the command.
 *
 * @example
 * ```ts
 * const store = folderPaymentStore(defaultPaymentFolder(process.env))
 * ```
 */
export function defaultPaymentFolder({
  XDG_STATE_HOME: state,
  HOME: home,
}: Readonly<Record<string, string | undefined>>): string {
  return join(state || join(home || homedir(), '.local', 'state'), 'farebox', 'payments')
}
