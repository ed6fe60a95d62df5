import { describeThrown } from '../clean-cause.js'
import { PaymentError } from './payment-error.js'
import { exceededCap, countsTowardsCap, type Caps } from './caps.js'
import type { PaymentRecord, PaymentStore } from './payment-store.js'

/** The payments of one wallet to one service. Each method is one atomic step of the store. */
export type PaymentJournal = {
  /** A payment without an answer that can still be settled: it is sent again, and no other. */
  readonly unanswered: () => Promise<PaymentRecord | undefined>
  /**
   * What a claim of this amount would do, so that no wallet asks a person in vain. False if another
   * payment is unanswered by now. Throws a PaymentError over a cap.
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
   * Records that the service proved that it did not submit the payment. Another may be signed. This
   * one counts towards the caps until it expires, because the service still has it.
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

export function paymentJournal({ store, origin, payer, now, ...caps }: JournalOptions): PaymentJournal {
  const isUnanswered = (record: PaymentRecord): boolean =>
    record.state === 'unanswered' && record.origin === origin && record.payer === payer && now() < record.heldUntil

  const settle = async (record: PaymentRecord, state: 'settled' | 'refused'): Promise<void> =>
    update(store, (records) => {
      const found = records.find(({ nonce }) => nonce === record.nonce)
      // a repeat by another process may have been settled before this one was refused
      if (found?.state === 'settled') return records
      return [...records.filter((record) => record !== found), { ...record, header: '', state }]
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
        capError = isKnown || isBlocked ? undefined : exceededCap(BigInt(record.amount), payer, records, now(), caps)
        isClaimed = !isBlocked && !capError
        return isKnown || !isClaimed ? records : [...records.filter((record) => countsTowardsCap(record, now())), record]
      })
      if (capError) throw capError
      return isClaimed
    },
    confirm: async (record) => settle(record, 'settled'),
    release: async (record) => settle(record, 'refused'),
  }
}

async function update(store: PaymentStore, change: Parameters<PaymentStore['update']>[0]): Promise<void> {
  let isCalled = false
  try {
    await store.update((records) => {
      isCalled = true
      return change(records)
    })
  } catch (cause) {
    throw journalUnavailable(cause)
  }
  // what was to be checked was not checked
  if (!isCalled) throw journalUnavailable(new Error('the store did not call the change that it was given'))
}

/** The error of a journal that cannot be used. The send comes after it. */
export function journalUnavailable(cause: unknown): PaymentError {
  return new PaymentError(
    'journal_unavailable',
    `Payment: nothing was sent, because the journal of payments cannot be used (${describeThrown(cause)}). Make it writable, or give another store; ` +
      'memoryPaymentStore() forgets payments and caps when the process ends',
    { cause },
  )
}
