import { describeThrown, PaymentError } from '../errors.js'
import type { PaymentRecord, PaymentStore } from './payment-store.js'
import type { Call } from '@farebox/middleware'

/** The purchases of one wallet at one service. Each method is one atomic step of the store. */
export type PaymentJournal = {
  /**
   * A purchase that was neither settled nor given up: one whose payment can still be settled, or
   * else one whose payment has expired, and whose nonce is signed again.
   */
  readonly openPurchase: () => Promise<PaymentRecord | undefined>
  /**
   * Whether a claim of this payment would succeed, so that no wallet prompts in vain. Throws a
   * PaymentError over a cap.
   */
  readonly check: (payment: CappedPayment, previous?: PaymentRecord) => Promise<Claim>
  /**
   * Records a signed payment before it is sent. It must not be sent if another payment is open by
   * now or was settled since `openPurchase`, or if `previous`, whose nonce it has, was changed.
   * Throws a PaymentError over a cap.
   */
  readonly claim: (record: PaymentRecord, previous?: PaymentRecord) => Promise<Claim>
  /** Records that the payment was settled. */
  readonly confirm: (record: PaymentRecord) => Promise<void>
  /** Makes a settled payment unanswered again, because its response broke off. */
  readonly reopen: (record: PaymentRecord) => Promise<void>
  /**
   * Records that the service proved that it did not submit the payment. It counts towards the caps
   * until it expires, because the service still has it.
   */
  readonly release: (record: PaymentRecord) => Promise<void>
  /** Records that the nonce was used, so that it is not signed again. */
  readonly retireNonce: (record: PaymentRecord) => Promise<void>
}

type Claim = {
  readonly isFree: boolean
  /** The payment of another process that came first. */
  readonly rival?: PaymentRecord | undefined
}

type JournalOptions = Caps & {
  readonly store: PaymentStore
  readonly origin: string
  readonly payer: string
  /** What is bought: the operation, or the method and path. */
  readonly purpose: string
  /** Milliseconds since 1970, by our own clock. */
  readonly now: () => number
}

export function createPaymentJournal({
  store,
  origin,
  payer,
  purpose,
  now,
  ...caps
}: JournalOptions): PaymentJournal {
  /** The nonces of the records that `openPurchase` saw. */
  let seenNonces: ReadonlySet<string> | undefined

  const isOurs = (record: PaymentRecord): boolean =>
    record.origin === origin && record.payer === payer

  const isOpen = (record: PaymentRecord): boolean => record.state !== 'settled' && isOurs(record)

  /** Settled by another process while this purchase was under way. */
  const isSettledMeanwhile = (record: PaymentRecord): boolean =>
    record.state === 'settled' &&
    isOurs(record) &&
    record.purpose === purpose &&
    seenNonces?.has(record.nonce) === false

  const isHeld = ({ heldUntil }: PaymentRecord): boolean => now() < heldUntil

  /** A day later, a call of the user is another purchase. */
  const isSignedAgain = ({ isNonceUsed, signedAt, openedAt = signedAt }: PaymentRecord): boolean =>
    !isNonceUsed && now() < openedAt + dayMs

  /** Replaces the record of this very payment. Another one with its nonce is kept. */
  const change = async (
    { nonce, header }: PaymentRecord,
    fields: Partial<PaymentRecord>,
  ): Promise<void> =>
    update(store, (records) =>
      records.map((other) =>
        other.nonce === nonce && other.header === header ? { ...other, ...fields } : other,
      ),
    )

  /** Adds the payment to the records, unless it must not be sent or is undefined. */
  const tryClaim = async (
    payment: CappedPayment,
    previous: PaymentRecord | undefined,
    record?: PaymentRecord,
  ): Promise<Claim> => {
    let capError: PaymentError | undefined
    let isFree = false
    let rival: PaymentRecord | undefined
    await update(store, (records) => {
      const storedRecord = records.find(({ nonce }) => nonce === payment.nonce)
      // a store that calls this again may have written it; on Solana, one offer gives one payment
      const isKnown =
        storedRecord !== undefined &&
        (storedRecord.header === record?.header || (storedRecord.state === 'settled' && !previous))
      const isUnchanged =
        storedRecord?.header === previous?.header && storedRecord?.state === previous?.state
      rival =
        records.find(
          (other) =>
            other !== storedRecord && isHeld(other) && (isOpen(other) || isSettledMeanwhile(other)),
        ) ?? (isUnchanged ? undefined : storedRecord)
      isFree = isKnown || (isUnchanged && !rival)
      capError = isFree && !isKnown ? findExceededCap(payment, records, now(), caps) : undefined
      return !record || isKnown || !isFree || capError
        ? records
        : [
            ...records
              .filter((other) => other !== storedRecord && countsTowardsCap(other, now()))
              .map((other) =>
                other.state === 'settled' && !isHeld(other) ? { ...other, header: '' } : other,
              ),
            record,
          ]
    })
    if (capError) throw capError
    return { isFree, rival }
  }

  return {
    openPurchase: async () => {
      let open: PaymentRecord | undefined
      await update(store, (records) => {
        const ours = records.filter(isOpen)
        open = ours.find(isHeld) ?? ours.findLast(isSignedAgain)
        seenNonces = new Set(records.map(({ nonce }) => nonce))
        return records
      })
      return open
    },
    check: tryClaim,
    claim: async (record, previous) => tryClaim(record, previous, record),
    confirm: async (record) =>
      update(store, (records) => [
        ...records.filter(({ nonce }) => nonce !== record.nonce),
        { ...record, state: 'settled' },
      ]),
    reopen: async (record) =>
      update(store, (records) =>
        records.map((other) =>
          other.nonce === record.nonce ? { ...record, state: 'unanswered' } : other,
        ),
      ),
    release: async (record) => change(record, { header: '', state: 'refused' }),
    retireNonce: async (record) => change(record, { isNonceUsed: true }),
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
    throw createJournalError(cause)
  }
  // otherwise an unchecked payment would be sent
  if (!isCalled) throw createJournalError(new Error('the store did not call `change`'))
}

/** The error of an unusable journal. It precedes the send. */
export function createJournalError(cause: unknown): PaymentError {
  return new PaymentError(
    'journal_unavailable',
    `Payment: nothing was sent, because the payment journal cannot be used (${describeThrown(cause)}). Make it writable, or pass another store; ` +
      'memoryPaymentStore() forgets payments and caps on exit',
    { cause },
  )
}

type Caps = {
  /** In USD. */
  readonly maxUsdPerPayment: number
  /** In USD, within 24 hours. */
  readonly maxUsdPerDay: number
}

const dayMs = 86_400_000

/**
 * Whether a payment counts towards the daily cap. A rejected one counts until it expires: the
 * service states that it did not settle it, but still could. An unanswered one may have been
 * settled.
 */
function countsTowardsCap({ state, signedAt, heldUntil }: PaymentRecord, now: number): boolean {
  return now < heldUntil || (state !== 'refused' && now < signedAt + dayMs)
}

/** The part of a payment that a cap counts: of all payments with one nonce, the largest. */
type CappedPayment = Pick<PaymentRecord, 'amount' | 'exposure' | 'payer'> & {
  readonly nonce?: string | undefined
}

/** The error for a payment that exceeds a cap, together with earlier ones of the wallet. */
function findExceededCap(
  payment: CappedPayment,
  records: readonly PaymentRecord[],
  now: number,
  { maxUsdPerPayment, maxUsdPerDay }: Caps,
): PaymentError | undefined {
  const { nonce, payer } = payment
  const amount = BigInt(payment.amount)
  if (toUsd(amount) > maxUsdPerPayment) {
    return new PaymentError(
      'over_payment_cap',
      `Payment: ${toUsd(amount)} USD is more than maxUsdPerPayment, ${maxUsdPerPayment} USD`,
    )
  }
  const counting = records.filter(
    (record) => record.payer === payer && record.nonce !== nonce && countsTowardsCap(record, now),
  )
  const total = sumAmounts([...counting, payment])
  if (toUsd(total) <= maxUsdPerDay) return undefined
  const open = sumAmounts(counting.filter(({ state }) => state !== 'settled'))
  const why =
    open === 0n ? '' : `; ${toUsd(open)} USD of it was rejected or unanswered, and may still settle`
  return new PaymentError(
    'over_daily_cap',
    `Payment: ${toUsd(total)} USD signed for within 24 hours is more than maxUsdPerDay, ${maxUsdPerDay} USD${why}`,
  )
}

/** Throws for a payment above `maxUsd` of the call, or above what the contract states for it. */
export function checkCallCap({ maxUsd, operation }: Call, amount: bigint): void {
  const most = maxUsd ?? operation?.maxUsd ?? Infinity
  // not with NaN either
  if (toUsd(amount) <= most) return
  throw new PaymentError(
    'over_payment_cap',
    `Payment: ${toUsd(amount)} USD is more than maxUsd of the ${maxUsd === undefined ? 'contract' : 'call'}, ${most} USD`,
  )
}

/** Every comparison with NaN is false, so a cap of NaN would not limit anything. */
export function checkCaps({ maxUsdPerPayment, maxUsdPerDay }: Caps): void {
  for (const [name, value] of Object.entries({ maxUsdPerPayment, maxUsdPerDay })) {
    if (!(value >= 0))
      throw new RangeError(`payment: ${name} is ${value}, expected an amount in USD or Infinity`)
  }
}

export function toUsd(units: bigint): number {
  return Number(units) / 1e6
}

function sumAmounts(payments: readonly CappedPayment[]): bigint {
  return payments.reduce((sum, { amount, exposure = amount }) => sum + BigInt(exposure), 0n)
}
