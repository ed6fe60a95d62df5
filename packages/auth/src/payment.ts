import { discard, isResendable, sleep, type Call, type Middleware, type Send } from '@farebox/middleware'
import { chooseOffer } from './choose-offer.js'
import { serverClock } from './clock.js'
import { goesTo, originOf, sendGuarded } from './credentials.js'
import { evmRail } from './evm/evm-rail.js'
import { PaymentError } from './payment-error.js'
import type { PaymentRail } from './payment-rail.js'
import { memoryPaymentStore, type PaymentRecord, type PaymentStore } from './payment-store.js'
import { readOffers } from './read-offers.js'
import { sendPayment } from './send-payment.js'
import { signPayment } from './sign-payment.js'
import type { PaymentSigner } from './signer.js'

export type PaymentOptions = {
  /** Any URL of the service. A 402 from another origin is never paid. */
  readonly origin: string
  /** The largest single payment, in USD. `Infinity` for no cap. */
  readonly maxUsdPerPayment: number
  /**
   * How much this wallet may sign for within 24 hours, in USD, by the records of the store. Refused
   * and unknown payments count too.
   */
  readonly maxUsdPerDay: number
  /** How much to pay, in USD: at least the offer. Default: the amount of the offer. */
  readonly amountUsd?: number
  /** CAIP-2 names of the allowed networks. Default: Base, or the main network of Solana. */
  readonly networks?: readonly string[]
  /** The allowed payees. Default: any that the service names. */
  readonly payTo?: readonly string[]
  /**
   * The calls whose 402 is paid. Default: the operation `topUp`; without an operation, a POST to a
   * path that ends in /x402/top-up.
   */
  readonly appliesTo?: (call: Call) => boolean
  /**
   * Where signed payments are kept. Default: the memory of this middleware. Middlewares with the
   * same store share caps and payments.
   */
  readonly store?: PaymentStore
  /** How often a signed payment is sent within a call at most. Default 3. */
  readonly attempts?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Fills the bytes of a nonce. Default: `crypto.getRandomValues`. */
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array
}

/**
 * Pays the 402 of a top-up with USDC (x402, scheme exact). An EVM signer pays by an EIP-3009
 * authorization, a signer of `@farebox/auth/solana` by a transfer on Solana.
 *
 * The caps, the network, the asset, the payee and the EIP-712 domain are checked on the offer that
 * is signed. Each purchase has one signature. It is stored before it is sent. After a lost response
 * or a 5xx the same bytes are sent again, in this call or the next. No other payment is signed
 * while it may still be settled. A signature is valid for at most an hour by our own clock. A
 * second 402 is a PaymentError with the service's reason. Purchases of one store run one at a time.
 */
export function payment(signer: PaymentSigner, options: PaymentOptions): Middleware {
  const { store = memoryPaymentStore(), appliesTo = isTopUp, now = Date.now } = options
  const origin = originOf(options.origin)
  checkNumbers(options)
  const wanted = options.amountUsd === undefined ? undefined : atomic(options.amountUsd)
  const clock = serverClock(now)
  const sending = { store, attempts: options.attempts ?? 3, wait: options.wait ?? sleep, learn: clock.learn }
  const rail = 'rail' in signer ? signer.rail : evmRail(signer)
  const rules = { networks: options.networks ?? rail.networks, payTo: options.payTo }

  const purchase = async (next: Send, call: Call): Promise<Response> => {
    const kept = await unsettled(store, origin, rail, now())
    if (kept) {
      const response = await sendPayment(next, call, kept, sending)
      if (!response.ok || wanted === undefined || String(wanted) === kept.amount) return response
      await discard(response)
    }
    // the target of a redirect could ask for a payment to another payee
    const response = await sendGuarded(next, call)
    clock.learn(response)
    if (response.status !== 402) return response
    const offers = await readOffers(response)
    const offer = chooseOffer(offers, rail, rules)
    const amount = amountOf(offer.amount, wanted)
    await checkCaps(amount, rail, store, now(), options)
    const random = options.random ?? ((bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes))
    const record = await signPayment(rail, offers, offer, { origin, amount, now: now(), serviceNow: clock.now(), random })
    return sendPayment(next, call, record, sending)
  }

  return (next) => async (call) => {
    if (!goesTo(origin, call) || !appliesTo(call) || carriesPayment(call)) return next(call)
    if (!isResendable(call)) {
      throw new PaymentError('body_not_resendable', 'Payment: the body is a stream that can be sent once; give text, bytes or a function')
    }
    return inTurn(store, () => purchase(next, call))
  }
}

function isTopUp({ operation, method, url }: Call): boolean {
  return operation ? operation.discovery !== undefined : method === 'POST' && new URL(url).pathname.endsWith('/x402/top-up')
}

function carriesPayment({ headers }: Call): boolean {
  return ['payment-signature', 'x-payment', 'x-402-payment'].some((name) => headers.has(name))
}

async function unsettled(store: PaymentStore, origin: string, { payer }: PaymentRail, now: number): Promise<PaymentRecord | undefined> {
  return (await store.list()).find(
    (record) => record.state === 'unknown' && record.origin === origin && record.payer === payer && now < record.heldUntil,
  )
}

function amountOf(offered: bigint, wanted: bigint | undefined): bigint {
  if (wanted === undefined) return offered
  if (wanted >= offered) return wanted
  throw new PaymentError('amount_below_offer', `Payment: ${usd(wanted)} USD is less than the ${usd(offered)} USD that the service asks for`)
}

const day = 86_400_000

async function checkCaps(amount: bigint, rail: PaymentRail, store: PaymentStore, now: number, caps: PaymentOptions): Promise<void> {
  if (usd(amount) > caps.maxUsdPerPayment) {
    throw new PaymentError('over_payment_cap', `Payment: ${usd(amount)} USD is more than maxUsdPerPayment, ${caps.maxUsdPerPayment} USD`)
  }
  // refused payments count too: only the service says they did not settle, and it still holds the
  // signature
  const counted = (await store.list()).filter(({ payer, signedAt }) => payer === rail.payer && signedAt > now - day)
  const total = counted.reduce((sum, record) => sum + BigInt(record.amount), amount)
  if (usd(total) > caps.maxUsdPerDay) {
    throw new PaymentError(
      'over_daily_cap',
      `Payment: ${usd(total)} USD signed for within 24 hours is more than maxUsdPerDay, ${caps.maxUsdPerDay} USD`,
    )
  }
}

/** A comparison with NaN is false, so that a cap of NaN would not limit anything. */
function checkNumbers({ maxUsdPerPayment, maxUsdPerDay }: PaymentOptions): void {
  for (const [name, value] of Object.entries({ maxUsdPerPayment, maxUsdPerDay })) {
    if (!(value >= 0)) throw new RangeError(`payment: ${name} is ${value}, expected a number of USD, or Infinity`)
  }
}

function atomic(amountUsd: number): bigint {
  const units = Math.round(amountUsd * 1e6)
  if (Number.isSafeInteger(units) && units > 0) return BigInt(units)
  throw new RangeError(`payment: amountUsd is ${amountUsd}, expected a number of USD above 0`)
}

function usd(units: bigint): number {
  return Number(units) / 1e6
}

const turns = new WeakMap<PaymentStore, Promise<unknown>>()

/**
 * Runs one purchase of a store at a time, so that the check of the caps sees all earlier purchases.
 */
function inTurn<T>(store: PaymentStore, task: () => Promise<T>): Promise<T> {
  const turn = (turns.get(store) ?? Promise.resolve()).then(task, task)
  turns.set(store, turn)
  return turn
}
