import { rails, type VerifiedPayment } from '@farebox/auth/verify'
import type { OperationId } from '@farebox/types/operations'
import { type Failure, failure } from '../contract/failures.js'
import type { Services } from '../contract/handler.js'
import { describePurchase, findUpto, paymentRejected } from '../contract/payment-required.js'
import { createSettlementHeaders } from '../contract/settlement-headers.js'
import type { WalletCaller } from '../domain/accounts/authenticate.js'
import type { PaidWork } from '../domain/ledger/charge-payment.js'
import type { CreditedPayment, Idempotency, PaymentUse } from '../domain/ledger/ledger-types.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import type { Settlement } from '../domain/payments/payment-backend.js'
import {
  readPayment,
  usedNonce,
  takePayment,
  type TakenPayment,
  type RejectedPayment,
} from '../domain/payments/read-payment.js'
import { fingerprintInput, hashKey } from '../domain/replay/response-cipher.js'
import type { Input } from './read-input.js'
import { HttpError } from './reply.js'
import type { RequestContext } from './request-context.js'

/** A payment that came with a paid request: verified, and settled only when the request is good. */
export type InlinePayment = {
  readonly caller: WalletCaller
  /**
   * The key under which a request without a sign-in runs: its Idempotency-Key, or else the payment.
   * Undefined for a caller who signed in.
   */
  readonly key?: string
  /** Rejects a payment that was credited for another request, unless its wallet signed in. */
  readonly authorise: (input: Input) => Promise<void>
  /**
   * Settles and credits it, unless that was done before, or holds it, for the scheme `upto`. `price`
   * is the minimum price of the request. Resolves to the maximum that it may cost; undefined: the
   * whole credit of the wallet.
   */
  readonly fund: (price: MicroUsd) => Promise<MicroUsd | undefined>
  /** The payment of the scheme `upto` that `fund` holds, which pays in place of the credit. */
  readonly held: () => HeldPayment | undefined
  /** Tells the caller of a failed request what happened to the payment. */
  readonly explain: () => Promise<void>
}

/** A payment that is settled after the work, over what it cost. */
export type HeldPayment = {
  /**
   * Settles and charges. Rejects when nothing was settled, unless the work is delivered: then it is
   * settled later.
   */
  readonly settle: (
    amount: MicroUsd,
    work: Omit<PaidWork, 'keys'> & {
      readonly key: Idempotency | undefined
      readonly isDelivered: boolean
    },
  ) => Promise<void>
  /** Ends the hold. Nothing is paid. */
  readonly release: () => Promise<void>
  /** When the work must end, so that it can still be settled, in milliseconds since 1970. */
  readonly workUntil: number
  /** The rejection of work that was not delivered by then. */
  readonly outlived: () => Promise<Failure>
}

/** The operation under which the ledger keeps what a payment was credited for. */
const use = 'payment'

/**
 * Reads the payment of a request to an operation with a price. It credits the wallet that signed
 * it. Without a sign-in it also authorises its request, as that wallet: one request, which is the
 * operation with this key and this body, for at most the amount paid. The ledger keeps that with
 * the credit, so nobody else can repeat a payment to spend the wallet.
 */
export function createInlinePayments({ ledger, terms }: Pick<Services, 'ledger' | 'terms'>) {
  const { payments } = terms

  return {
    read: async (
      id: OperationId,
      request: Request,
      requestContext: RequestContext,
    ): Promise<InlinePayment> => {
      const { caller: signedIn } = requestContext
      if (signedIn.kind === 'key')
        throw new HttpError(payerMismatch('has an API key, which pays from its own account'))
      const header = request.headers.get('payment-signature') ?? ''
      const upto = findUpto(terms, id)
      const read = await readPayment(header, payments, ledger, upto)
      if (read.status !== 'verified') throw new HttpError(toPaymentFailure(read))
      const { id: paymentId, payment, credited: earlier } = read
      const { kind, payer, amount, network, shape } = payment
      if (
        signedIn.kind === 'wallet' &&
        !(signedIn.chain === kind && rails[kind].isSame(signedIn.account, payer))
      ) {
        throw new HttpError(payerMismatch('is signed in as another wallet'))
      }
      const isSigned = signedIn.kind === 'wallet'
      const key = request.headers.get('idempotency-key') ?? fingerprintInput({ ...payment.payload })
      let own: PaymentUse | undefined
      let credited: CreditedPayment | undefined
      let isAuthorised = isSigned
      let held: HeldPayment | undefined
      const noteCredit = (credit: CreditedPayment) => {
        credited = credit
        requestContext.paid = { headers: createReceiptHeaders(payment, credit) }
      }
      /** Throws if the credit belongs to another request. */
      const claimUse = async () => {
        if (isAuthorised) return
        const charge = own && (await ledger.findCharge({ account: payer, ...own }))
        if (charge?.fingerprint !== own?.fingerprint) throw new HttpError(paymentAlreadyUsed(payer))
        isAuthorised = true
      }
      if (earlier) noteCredit(earlier)

      return {
        caller: { kind: 'wallet', account: payer, chain: kind },
        ...(!isSigned && { key }),

        authorise: async (input) => {
          if (isSigned) return
          own = {
            operation: use,
            key: paymentId,
            fingerprint: hashKey(JSON.stringify([id, key, fingerprintInput(input)])),
          }
          if (credited) await claimUse()
        },

        fund: async (price) => {
          if (isSigned && credited) return undefined
          const isUpto = payment.scheme === 'upto'
          const funds = isSigned && !isUpto ? await readSpendable(payer, amount) : amount
          if (funds < price) throw new HttpError(await paymentTooSmall(price))
          if (isUpto) {
            held = await hold()
            return amount
          }
          if (!credited) {
            const takenPayment = await takePayment(
              payment,
              { payments, ledger },
              describePurchase(terms, id),
              own,
            )
            if (takenPayment.status !== 'credited')
              throw new HttpError(await toSettlementFailure(takenPayment))
            if (takenPayment.credited.id !== paymentId)
              throw new HttpError(toPaymentFailure(usedNonce))
            noteCredit(takenPayment.credited)
          }
          // a parallel request may have been credited with it
          await claimUse()
          return isSigned ? undefined : amount
        },

        held: () => held,

        explain: async () => {
          const { paid } = requestContext
          if (held && !paid) requestContext.paid = { headers: {}, advice: 'Nothing was paid.' }
          if (!paid || !isAuthorised || payment.scheme === 'upto') return
          const again = isSigned ? '' : ' or send this request again with the same payment'
          const advice = `The payment of ${formatUsd(amount)} USD was credited to ${payer} and stays there. Sign in with that wallet to spend it${again}.`
          const balance = await ledger.balance(payer).catch(() => undefined)
          requestContext.paid = {
            ...paid,
            advice,
            ...(balance !== undefined && { balance: formatUsd(balance) }),
          }
        },
      }

      /** Holds a payment of the scheme `upto`. */
      async function hold(): Promise<HeldPayment> {
        // it was settled, and its request is no longer known
        if (credited || !upto) throw new HttpError(paymentAlreadyUsed(payer))
        const found = await upto.hold(payment, describePurchase(terms, id))
        if (found.status === 'used') throw new HttpError(paymentAlreadyUsed(payer))
        if (found.status === 'stopped')
          throw new HttpError(await paymentRejected(terms, id, describeUnsettledDebt(payer)))
        if (found.status === 'other deadline')
          throw new HttpError(await paymentRejected(terms, id, describeOtherDeadline(found)))
        if (found.status !== 'held') throw new HttpError(await toSettlementFailure(found))
        return {
          release: found.release,
          workUntil: found.workUntil,
          outlived: () => paymentRejected(terms, id, outlived),
          settle: async (owed, { key: requestKey, isDelivered, ...work }) => {
            const keys = [requestKey, own].filter((one) => one !== undefined)
            const settled = await found.settle(owed, { ...work, keys }, isDelivered)
            if (settled.status === 'settled') {
              const receipt = { payer, transaction: settled.transaction, amount: String(owed) }
              requestContext.paid = { headers: createReceiptHeaders(payment, receipt) }
            } else if (!isDelivered && settled.status !== 'unknown')
              throw new HttpError(await toSettlementFailure(settled))
          },
        }
      }

      async function paymentTooSmall(price: MicroUsd): Promise<Failure> {
        const error = `The request costs ${formatUsd(price)} USD, and the payment is over ${formatUsd(amount)} USD.`
        return paymentRejected(terms, id, credited ? error : `${error} Nothing was paid.`, price)
      }

      async function toSettlementFailure(
        taken: Exclude<TakenPayment | Settlement, { readonly status: 'credited' | 'settled' }>,
      ): Promise<Failure> {
        if (taken.status === 'failed') {
          const { reason } = taken
          const rejected = await paymentRejected(terms, id, reason)
          const response = { success: false, transaction: '', network, payer, errorReason: reason }
          const headers = { ...rejected.headers, ...createSettlementHeaders(shape, response) }
          return { ...rejected, headers, callersFault: true }
        }
        return taken.status === 'unknown'
          ? settlementOutcomeUnknown()
          : taken.status === 'unavailable'
            ? paymentsUnavailable()
            : settlementInProgress()
      }
    },
  }

  /** What a wallet could spend after a payment. */
  async function readSpendable(account: string, amount: MicroUsd): Promise<MicroUsd> {
    const { usd, diem } = await ledger.spendable(account)
    return usd + diem + amount
  }
}

function createReceiptHeaders(
  { shape, network, scheme }: VerifiedPayment,
  {
    transaction,
    payer,
    amount,
  }: Pick<CreditedPayment, 'transaction' | 'payer'> & { readonly amount?: unknown },
): Readonly<Record<string, string>> {
  return createSettlementHeaders(shape, {
    success: true,
    transaction,
    network,
    payer,
    ...(scheme === 'upto' && { amount: String(amount) }),
  })
}

/** Failures of a payment that came with a paid request. Each says whether something was paid. */

function toPaymentFailure(payment: RejectedPayment) {
  if (payment.status === 'unavailable') return paymentsUnavailable()
  const { code, message, reason } = payment
  const rejected = failure(400, `${message} Nothing was paid.`, code)
  return reason === undefined ? rejected : { ...rejected, json: { ...rejected.json, reason } }
}

function paymentsUnavailable() {
  const error = 'No payments are taken at this moment, and nothing was paid. Try again later.'
  return failure(503, error, 'X402_NOT_CONFIGURED', { 'retry-after': '30' })
}

/** The caller and the payment name different accounts. `who` describes the caller. */
function payerMismatch(who: string) {
  const error = `This request ${who}, and its payment is credited to the wallet that signed it. Send one of the two. Nothing was paid.`
  return failure(403, error, 'X402_WALLET_MISMATCH')
}

/** The reason of a 402 for a wallet with a debt. */
function describeUnsettledDebt(payer: string): string {
  return `Work that ${payer} paid for by "upto" is not settled yet. Until it is, pay by "exact", or sign in with a wallet that has credit. Nothing was paid.`
}

/** The reason of a 402 for a payment of the scheme `upto` that ends too soon, or too late. */
function describeOtherDeadline({
  leastSeconds,
  mostSeconds,
}: Readonly<Record<'leastSeconds' | 'mostSeconds', number>>): string {
  return `The payment does not end in the time in which work is done and settled. Sign one with a deadline at least ${leastSeconds} s from now, and at most ${mostSeconds} s; the offer asks for up to its maxTimeoutSeconds. Nothing was paid.`
}

/** The reason of a 402 for work that was stopped, because its payment could not be settled later. */
const outlived =
  'The work took longer than its payment by "upto" can be settled, and was stopped. Pay by "exact", or ask for less. Nothing was paid.'

/** A payment pays for one request. */
function paymentAlreadyUsed(payer: string) {
  const error = `This payment was credited to ${payer} before, for another request. Sign in with that wallet to spend its credit.`
  return failure(409, error, 'PAYMENT_USED')
}

function settlementInProgress() {
  const error =
    'This payment is being settled. Send the same request with the same payment again in a moment.'
  return {
    ...failure(409, error, 'PAYMENT_IN_PROGRESS', { 'retry-after': '1' }),
    callersFault: false,
  }
}

/** 503, since clients repeat it with the same payment. After a 402 they would sign another. */
function settlementOutcomeUnknown() {
  const error =
    'The outcome of the payment is unknown. Send the same request with the same payment again, and do not sign another.'
  return failure(503, error, 'SETTLEMENT_TIMEOUT', { 'retry-after': '5' })
}
