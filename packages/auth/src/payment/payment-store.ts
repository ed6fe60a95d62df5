/**
 * One purchase, with the payment that was signed for it last. It is recorded before it is sent, so a
 * resend has the same bytes.
 */
export type PaymentRecord = {
  /** 0x and 64 hex digits: the key of the record. A chain settles a nonce at most once. */
  readonly nonce: string
  readonly origin: string
  readonly payer: string
  /** CAIP-2. */
  readonly network: string
  /** Missing in records of earlier versions, like the other optional fields. */
  readonly payTo?: string
  /** What was bought: the operation, or the method and path. */
  readonly purpose?: string
  /** Atomic units of USDC, as a decimal string. */
  readonly amount: string
  /** Set if `amount` is a maximum, of which the service settles a part. */
  readonly scheme?: 'upto'
  /** The largest amount that was signed with this nonce, in atomic units. Default: `amount`. */
  readonly exposure?: string
  readonly headerName: string
  /** The signed payment. Empty once it was rejected, or was settled and has expired. */
  readonly header: string
  /** Milliseconds since 1970, by the payer's own clock. */
  readonly signedAt: number
  /** When the nonce was signed for the first time. Default: `signedAt`. */
  readonly openedAt?: number
  /** A payment with this nonce may be settled until then. Same clock as `signedAt`. */
  readonly heldUntil: number
  readonly state: 'unanswered' | 'settled' | 'refused'
  /** The service said that the nonce was used: an earlier send was settled, or cancelled. */
  readonly isNonceUsed?: boolean
}

/** Where signed payments are recorded. Payers with the same store share caps and payments. */
export type PaymentStore = {
  /**
   * Replaces all records in one step: no other update of the store, by any process, tab or machine,
   * comes between the read and the write. Resolves when the new records would survive a crash.
   *
   * `change` is synchronous and has no other effect, so a store may call it again. If it returns
   * the same array, nothing is written.
   */
  readonly update: (
    change: (records: readonly PaymentRecord[]) => readonly PaymentRecord[],
  ) => Promise<void>
}

/**
 * Records payments in memory, until the process ends: for tests and throw-away wallets.
 *
 * @example
 * ```ts
 * pay(signer, { ...caps, store: memoryPaymentStore() })
 * ```
 */
export function memoryPaymentStore(): PaymentStore {
  let records: readonly PaymentRecord[] = []
  return {
    update: async (change) => {
      records = change(records)
    },
  }
}

/**
 * The store of a platform without persistent storage, such as a worker. It rejects payments,
 * because it would lose them.
 */
export function defaultPaymentStore(): PaymentStore {
  return {
    update: () => Promise.reject(new Error('this platform has neither files nor IndexedDB')),
  }
}
