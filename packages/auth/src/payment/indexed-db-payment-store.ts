import type { PaymentRecord, PaymentStore } from './payment-store.js'

const table = 'records'

/**
 * Records payments in IndexedDB, for all tabs and workers of an origin. A readwrite transaction
 * blocks the others on the same database in all of them.
 *
 * @param name the name of the database
 * @example
 * ```ts
 * pay(signer, { ...caps, store: indexedDbPaymentStore('my-app') })
 * ```
 * @see https://www.w3.org/TR/IndexedDB/#transaction-construct
 */
export function indexedDbPaymentStore(name = 'farebox-payments'): PaymentStore {
  return {
    update: async (change) => {
      const database = await openDatabase(name)
      try {
        await new Promise<void>((resolve, reject) => {
          const transaction = database.transaction(table, 'readwrite', { durability: 'strict' })
          transaction.addEventListener('complete', () => resolve())
          transaction.addEventListener('abort', () =>
            reject(transaction.error ?? new Error('the transaction was aborted')),
          )
          const records = transaction.objectStore(table)
          const request = records.get(0) as IDBRequest<readonly PaymentRecord[] | undefined>
          request.addEventListener('success', () => {
            const { result = [] } = request
            const replacement = change(result)
            if (replacement !== result) records.put(replacement, 0)
          })
        })
      } finally {
        database.close()
      }
    },
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(table))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () =>
      reject(request.error ?? new Error('cannot open IndexedDB')),
    )
  })
}

let store: PaymentStore | undefined

/** One store for the origin of the page. */
export function defaultPaymentStore(): PaymentStore {
  return (store ??= indexedDbPaymentStore())
}
