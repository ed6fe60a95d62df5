/** A signed payment. It is stored before it is sent, so that a repeat sends the same bytes. */
export type PaymentRecord = {
  /** 0x and 64 hex digits: the key of the record. */
  readonly nonce: string
  readonly origin: string
  readonly payer: string
  /** Atomic units of USDC, as a decimal string. */
  readonly amount: string
  readonly headerName: string
  readonly header: string
  /** Milliseconds since 1970, by the payer's own clock. */
  readonly signedAt: number
  /** The payment may be settled until then. Same clock as `signedAt`. */
  readonly heldUntil: number
  readonly state: 'unknown' | 'settled' | 'failed'
}

/** Where signed payments are kept. `put` replaces the record of the same nonce. */
export type PaymentStore = {
  list(): Promise<readonly PaymentRecord[]>
  put(record: PaymentRecord): Promise<void>
}

const day = 86_400_000

/** Keeps payments in memory for a day. */
export function memoryPaymentStore(): PaymentStore {
  const records = new Map<string, PaymentRecord>()
  return {
    list: async () => [...records.values()],
    async put(record) {
      records.set(record.nonce, record)
      for (const { nonce, signedAt } of records.values()) if (signedAt < record.signedAt - day) records.delete(nonce)
    },
  }
}
