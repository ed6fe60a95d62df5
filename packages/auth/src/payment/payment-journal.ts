import { describeThrown } from '../clean-cause.js'
import { PaymentError } from './payment-error.js'
import { exceededCap, countsTowardsCap, type Caps } from './caps.js'
import type { PaymentRecord, PaymentStore } from './payment-store.js'

/** The payments of one wallet to one service. Each method is one atomic step of the store. */
export type PaymentJournal = {
  /** A payment without an outcome that can still be settled: only it is sent again. */
  readonly unanswered: () => Promise<PaymentRecord | undefined>
  /**
   * Whether a claim of this amount would succeed, so that no wallet prompts in vain. False if
   * another payment is unanswered by now. Throws a PaymentError over a cap.
   */
  readonly check: (amount: bigint) => Promise<boolean>
  /**
   * Records a signed payment before it is sent. False if another payment is unanswered by now: then
   * this one must not be sent. Throws a PaymentError over a cap.
   */
  readonly claim: (record: PaymentRecord) => Promise<boolean>
  /** Records that the payment was settled. */
  readonly confirm: (record: PaymentRecord) => Promise<void>
  /**
   * Records that the service proved that it did not submit the payment, so another may be signed.
   * It counts towards the caps until it expires, because the service still has it.
   */
  readonly release: (record: PaymentRecord) => Promise<void>
}

export type JournalOptions = Caps & {
  readonly store: PaymentStore
  readonly origin: string
  readonly payer: string
  /** Milliseconds since 1970, by our own clock. */
  readonly now: () => number
}

export function paymentJournal({
  store,
  origin,
  payer,
  now,
  ...caps
}: JournalOptions): PaymentJournal {
  const isUnanswered = (record: PaymentRecord): boolean =>
    record.state === 'unanswered' &&
    record.origin === origin &&
    record.payer === payer &&
    now() < record.heldUntil

  const close = async (record: PaymentRecord, state: 'settled' | 'refused'): Promise<void> =>
    update(store, (records) => {
      const found = records.find(({ nonce }) => nonce === record.nonce)
      // another process may have sent and settled it before this send was refused
      if (found?.state === 'settled') return records
      return [...records.filter((other) => other !== found), { ...record, header: '', state }]
    })

  return {
    unanswered: async () => {
      let found: PaymentRecord | undefined
      await update(store, (records) => {
        found = records.find(isUnanswered)
        return records
      })
      return found
    },
    check: async (amount) => {
      let capError: PaymentError | undefined
      let isBlocked = false
      await update(store, (records) => {
        isBlocked = records.some(isUnanswered)
        capError = isBlocked ? undefined : exceededCap(amount, payer, records, now(), caps)
        return records
      })
      if (capError) throw capError
      return !isBlocked
    },
    claim: async (record) => {
      let capError: PaymentError | undefined
      let isClaimed = false
      await update(store, (records) => {
        const isKnown = records.some(({ nonce }) => nonce === record.nonce)
        const isBlocked = !isKnown && records.some(isUnanswered)
        capError =
          isKnown || isBlocked
            ? undefined
            : exceededCap(BigInt(record.amount), payer, records, now(), caps)
        isClaimed = !isBlocked && !capError
        return isKnown || !isClaimed
          ? records
          : [...records.filter((other) => countsTowardsCap(other, now())), record]
      })
      if (capError) throw capError
      return isClaimed
    },
    confirm: async (record) => close(record, 'settled'),
    release: async (record) => close(record, 'refused'),
  }
}

async function update(
  store: PaymentStore,
  change: Parameters<PaymentStore['update']>[0],
): Promise<void> {
  let isCalled = false
  try {
    await store.update((records) => {
      isCalled = true
      return change(records)
    })
  } catch (cause) {
    throw journalUnavailable(cause)
  }
  // otherwise an unchecked payment would be sent
  if (!isCalled) throw journalUnavailable(new Error('the store did not call `change`'))
}

/** The error of an unusable journal. It precedes the send. */
export function journalUnavailable(cause: unknown): PaymentError {
  return new PaymentError(
    'journal_unavailable',
    `Payment: nothing was sent, because the journal of payments cannot be used (${describeThrown(cause)}). Make it writable, or pass another store; ` +
      'memoryPaymentStore() forgets payments and caps when the process ends',
    { cause },
  )
}
