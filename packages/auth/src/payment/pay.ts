import { defaultPaymentStore } from '#default-store'
import {
  discard,
  isResendable,
  sleep,
  type Call,
  type Middleware,
  type Send,
} from '@farebox/middleware'
import { AuthError, describeThrown, PaymentError } from '../errors.js'
import { addPaymentId, chooseOffer, readOffers } from './offers.js'
import { createServerClock } from '../clock.js'
import { readOrigin, requireOrigin, sendGuarded, type OriginOptions } from '../credentials.js'
import { createEvmRail } from './evm-rail.js'
import {
  checkCallCap,
  checkCaps,
  toUsd,
  createJournalError,
  createPaymentJournal,
  type PaymentJournal,
} from './payment-journal.js'
import type { PaymentRecord, PaymentStore } from './payment-store.js'
import { sendPayment } from './send-payment.js'
import { encodeJsonHeader } from '../encoding.js'
import type { Offer, Offers, PaymentRail, PaymentSigner, PaymentTerms } from './payment-rail.js'

export type PayOptions = OriginOptions & {
  /** Any URL of the service. A 402 from another origin is never paid. */
  readonly origin: string
  /** The largest single payment, in USD. `Infinity` for no cap. */
  readonly maxUsdPerPayment: number
  /**
   * How much this wallet may sign for within 24 hours, in USD, by the records of the store. A
   * rejected payment counts until it expires, one without an outcome for 24 hours.
   */
  readonly maxUsdPerDay: number
  /** How much to pay, in USD: at least the offer. Default: the amount of the offer. */
  readonly amountUsd?: number
  /** CAIP-2 names of the allowed networks. Default: Base, or the main network of Solana. */
  readonly networks?: readonly string[] | undefined
  /** The allowed payees. Default: any that the service names. */
  readonly payTo?: readonly string[] | undefined
  /**
   * The calls whose 402 is paid. Default: the operation `topUp`; without an operation, a POST to a
   * path that ends in /x402/top-up. For a service that accepts payments in any call with a price,
   * use `() => true`.
   */
  readonly appliesTo?: (call: Call) => boolean
  /**
   * Where signed payments are recorded. Payers with one store share caps and payments. Default:
   * the folder of `defaultPaymentFolder` in Node, Bun and Deno, IndexedDB in browsers. Other
   * platforms have none, and a payment without `store` is rejected.
   */
  readonly store?: PaymentStore | undefined
  /** How often a call sends a signed payment at most. Default 3. */
  readonly attempts?: number
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
  readonly wait?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined
  /** Fills the bytes of a nonce. Default: `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array
}

/**
 * Pays the 402 of a top-up with USDC (x402, scheme exact). An EVM signer pays by an EIP-3009
 * authorization, a signer of `@farebox/auth/solana` by a transfer on Solana.
 *
 * The caps, the network, the asset, the payee and the EIP-712 domain are checked on the offer that
 * is signed. Each purchase has one nonce, of which a chain settles at most one payment. The journal
 * of the store records it before it is sent, in one step with the check of the caps. After a lost
 * response or a 5xx the same bytes are sent again, in this call or the next, by this process or
 * another. Nothing else is signed while they may still be settled. Once they have expired, the next
 * call signs the same nonce, until the service settles it or says that it was used, or for a day.
 * On Solana it signs another transaction once the block hash has expired. A signature is valid for
 * at most an hour by our own clock, and nothing is signed while the service's clock is more than 15
 * minutes from it. A second 402 is a PaymentError with the service's reason.
 *
 * In one process, the purchases of a store run one at a time, and each is a separate payment. Of
 * several processes that pay at the same time, one signs, and the others send that same payment.
 *
 * @example
 * ```ts
 * const origin = 'https://api.example'
 * const caps = { maxUsdPerPayment: 10, maxUsdPerDay: 20 }
 * const payingFetch = withMiddleware(fetch, pay(signer, { origin, ...caps }))
 * await payingFetch(`${origin}/api/v1/x402/top-up`, { method: 'POST' })
 * ```
 */
export function pay(signer: PaymentSigner, options: PayOptions): Middleware {
  const { appliesTo = isTopUp, now = Date.now } = options
  const origin = requireOrigin(options.origin, options)
  checkCaps(options)
  const requested = options.amountUsd === undefined ? undefined : toAtomicUnits(options.amountUsd)
  const clock = createServerClock(now)
  const rail = 'rail' in signer ? signer.rail : createEvmRail(signer)
  const {
    maxUsdPerPayment,
    maxUsdPerDay,
    payTo,
    networks = rail.networks,
    attempts = 3,
    wait = sleep,
    random = fillRandom,
  } = options
  const sendOptions = { attempts, wait, now, learn: clock.learn }

  /** A rejected payment has no header. */
  const canSend = ({ header, heldUntil }: PaymentRecord): boolean =>
    header !== '' && now() < heldUntil

  /** `rival` is the payment of another process that was faster: it is sent instead. */
  const purchase = async (
    next: Send,
    call: Call,
    journal: PaymentJournal,
    rival?: PaymentRecord,
  ): Promise<Response> => {
    let open = rival && canSend(rival) ? rival : await journal.openPurchase()
    if (open && canSend(open)) {
      checkCallCap(call, BigInt(open.amount))
      const response = await sendPayment(next, call, open, {
        ...sendOptions,
        journal,
        isRepeat: true,
      })
      // a settled payment of another request: this one needs its own
      const isUsed = response.status === 409
      if (!isUsed && (!response.ok || requested === undefined || String(requested) === open.amount))
        return response
      await discard(response)
      open = await journal.openPurchase()
    }
    // the target of a redirect could request a payment to another payee
    const response = await sendGuarded(next, call)
    const clockFault = clock.learn(response)
    if (response.status !== 402) return response
    if (clockFault) throw await createClockError(response, clockFault)
    const offers = await (rail.readOffers ?? readOffers)(response, clock.now())
    const offer = chooseOffer(offers, rail, { networks, payTo })
    const amount = chooseAmount(offer.amount, requested)
    checkCallCap(call, amount)
    const previous = open && findPrevious(open, rail, offer, amount, now())
    const { nonce, ...terms } = mergeTerms(previous, amount)
    const checked = await journal.check({ ...terms, nonce, payer: rail.payer }, previous)
    if (!checked.isFree) return purchase(next, call, journal, checked.rival)
    const signed = await wrapSigningError(
      signPayment(rail, offers, offer, {
        nonce,
        amount,
        now: now(),
        serviceNow: clock.now(),
        random,
      }),
    )
    const record: PaymentRecord = {
      ...signed,
      ...terms,
      origin,
      purpose: readPurpose(call),
      heldUntil: Math.max(signed.heldUntil, previous?.heldUntil ?? 0),
    }
    call.signal?.throwIfAborted()
    // an earlier payment with this nonce may have been settled
    const isRepeat = previous?.state === 'unanswered'
    const claimed = await journal.claim(record, previous)
    if (claimed.isFree)
      return sendPayment(next, call, record, { ...sendOptions, journal, isRepeat })
    // this signature is dropped
    return purchase(next, call, journal, claimed.rival)
  }

  return (next) => async (call) => {
    if (readOrigin(call.url) !== origin || !appliesTo(call) || hasPayment(call)) return next(call)
    if (!isResendable(call)) {
      throw new PaymentError(
        'body_not_resendable',
        'Payment: the body is a stream, which can be sent only once; pass a string, bytes or a function',
      )
    }
    const store = options.store ?? openDefaultStore()
    const journal = createPaymentJournal({
      store,
      origin,
      payer: rail.payer,
      purpose: readPurpose(call),
      now,
      maxUsdPerPayment,
      maxUsdPerDay,
    })
    return runExclusively(store, () => purchase(next, call, journal))
  }
}

/** The platform may deny access to the folder, as Deno does without permissions. */
function openDefaultStore(): PaymentStore {
  try {
    return defaultPaymentStore()
  } catch (cause) {
    throw createJournalError(cause)
  }
}

/** Wraps an error of the signer, or of the caller's randomness. */
async function wrapSigningError<Signed>(signing: Promise<Signed>): Promise<Signed> {
  try {
    return await signing
  } catch (cause) {
    if (cause instanceof PaymentError || cause instanceof AuthError) throw cause
    throw new PaymentError(
      'signing_failed',
      `Payment: nothing was sent, because the payment was not signed (${describeThrown(cause)})`,
      {
        cause,
      },
    )
  }
}

function fillRandom(bytes: Uint8Array<ArrayBuffer>): Uint8Array {
  return crypto.getRandomValues(bytes)
}

/** With a clock so far ahead, a signature would stay valid for as long. */
async function createClockError(response: Response, clockFault: string): Promise<PaymentError> {
  await discard(response)
  return new PaymentError('clock_mismatch', `Payment: nothing was signed, because ${clockFault}`)
}

function isTopUp({ operation, method, url }: Call): boolean {
  return operation
    ? operation.discovery !== undefined
    : method === 'POST' && new URL(url).pathname.endsWith('/x402/top-up')
}

function readPurpose({ operation, method, url }: Call): string {
  return operation?.id ?? `${method} ${new URL(url).pathname}`
}

const paymentHeaders = [
  'payment-signature',
  'x-payment',
  'x-402-payment',
  'payment-authorization',
] as const

function hasPayment({ headers }: Call): boolean {
  return paymentHeaders.some((name) => headers.has(name))
}

function chooseAmount(offeredAmount: bigint, requested: bigint | undefined): bigint {
  if (requested === undefined) return offeredAmount
  if (requested >= offeredAmount) return requested
  throw new PaymentError(
    'amount_below_offer',
    `Payment: ${toUsd(requested)} USD is less than the ${toUsd(offeredAmount)} USD that the service requires; raise amountUsd`,
  )
}

function toAtomicUnits(amountUsd: number): bigint {
  const units = Math.round(amountUsd * 1e6)
  if (Number.isSafeInteger(units) && units > 0) return BigInt(units)
  throw new RangeError(`payment: amountUsd is ${amountUsd}, expected an amount above 0 USD`)
}

const queues = new WeakMap<PaymentStore, Promise<unknown>>()

/** Runs one purchase of a store at a time, so that two calls in one process are two payments. */
function runExclusively<T>(store: PaymentStore, task: () => Promise<T>): Promise<T> {
  const turn = (queues.get(store) ?? Promise.resolve()).then(task, task)
  queues.set(store, turn)
  return turn
}

/**
 * The payment whose nonce the next one has, so that only one of the two can be settled. Throws a
 * PaymentError while that does not suffice: a payment with other terms, or on another network, is
 * signed once the earlier one has expired.
 */
function findPrevious(
  open: PaymentRecord,
  rail: PaymentRail,
  offer: Offer,
  amount: bigint,
  now: number,
): PaymentRecord | undefined {
  const canSignAgain = rail.signsNonceAgain && open.network === offer.network
  const isHeld = now < open.heldUntil
  const { payTo = '', heldUntil } = open
  if (
    canSignAgain &&
    (!isHeld || (rail.isSame(payTo, offer.payTo) && open.amount === String(amount)))
  )
    return open
  if (!isHeld) return undefined
  throw new PaymentError(
    'earlier_payment_open',
    `Payment: nothing was signed, because until ${new Date(heldUntil).toISOString()} the service could still settle an earlier payment of ${toUsd(BigInt(open.amount))} USD to ${payTo}`,
    { heldUntil },
  )
}

/** The fields that a payment has in common with the earlier one whose nonce it has. */
function mergeTerms(
  previous: PaymentRecord | undefined,
  amount: bigint,
): Pick<PaymentRecord, 'amount' | 'exposure' | 'openedAt'> & { readonly nonce?: string } {
  if (!previous) return { amount: String(amount) }
  const { nonce, signedAt, openedAt = signedAt, amount: earlier, exposure = earlier } = previous
  const most = BigInt(exposure) > amount ? exposure : String(amount)
  return { nonce, openedAt, amount: String(amount), exposure: most }
}

/** Signs one payment of an offer, with the offer's x402 version, and returns its record. */
async function signPayment(
  rail: PaymentRail,
  { version, resource, extensions }: Offers,
  offer: Offer,
  terms: PaymentTerms,
): Promise<Omit<PaymentRecord, 'origin'>> {
  const amount = String(terms.amount)
  const { entry, network, payTo } = offer
  const { nonce, payload, heldUntil, header } = await rail.sign(offer, terms)
  const document =
    version === 2
      ? {
          x402Version: 2,
          resource,
          extensions: addPaymentId(extensions, `${nonce}-${terms.now}`),
          accepted: { ...entry, amount },
          payload,
        }
      : { x402Version: 1, scheme: entry['scheme'], network: entry['network'], payload }
  return {
    nonce,
    payer: rail.payer,
    network,
    payTo,
    ...(rail.scheme && { scheme: rail.scheme }),
    amount,
    headerName: header?.name ?? (version === 2 ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT'),
    header: header?.value ?? encodeJsonHeader(document),
    signedAt: terms.now,
    heldUntil,
    state: 'unanswered',
  }
}
