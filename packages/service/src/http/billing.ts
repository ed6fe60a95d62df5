import { operations, type OperationId } from '@farebox/types/operations'
import { responseNotStored, idempotencyConflict } from '../contract/failures.js'
import type { Quote, Services } from '../contract/handler.js'
import { insufficientBalance } from '../contract/payment-required.js'
import type { KeyCaller, WalletCaller } from '../domain/accounts/authenticate.js'
import type {
  CaptureResult,
  KeyedCharge,
  Idempotency,
  InsufficientBalance,
} from '../domain/ledger/ledger-types.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import { findLowestPrice } from '../domain/models/catalogue.js'
import { createWorkCost } from '../platform/upstream/work-cost.js'
import type { HeldPayment, InlinePayment } from './inline-payment.js'
import type { KeyedRun, Replay } from './replay.js'
import { HttpError } from './reply.js'
import type { RequestContext } from './request-context.js'

export type Billing = {
  /**
   * Rejects a caller who cannot pay a price that is known before the body is read, unless a payment
   * came with the request. A repeat under an Idempotency-Key is admitted: it may be free.
   */
  readonly admit: (
    id: OperationId,
    requestContext: RequestContext,
    keyed: Pick<Replay, 'isRepeat'> | undefined,
    hasPayment: boolean,
  ) => Promise<Charge>
}

export type BillingOptions = Pick<Services, 'ledger' | 'terms'> & {
  /** Called for uncharged work that upstreams billed, in micro-USD. */
  readonly onUnpaid?:
    | ((work: { readonly model: string; readonly cost: MicroUsd }) => void)
    | undefined
  /** Called for work that costs more than was held, with the difference in micro-USD. */
  readonly onShortfall?: BillingOptions['onUnpaid'] | undefined
}

/**
 * Longer than any work and the sending of its response. The hold of a process that died ends with
 * its lease.
 */
export const holdLifetimeMs = 2 * 60 * 60_000

/**
 * Charges for operations. The highest price is held before the work. What is owed for the finished
 * part is captured after it, once, by statements that cannot go below zero. A failed request costs
 * nothing, and nothing is charged in full twice under one Idempotency-Key.
 */
export function createBilling(options: BillingOptions): Billing {
  const { ledger, terms } = options
  return {
    admit: async (id, requestContext, keyed, hasPayment) => {
      const { caller } = requestContext
      if (caller.kind === 'anonymous') return new Charge(options, id, requestContext)
      const least = findLowestPrice(terms.catalogue, id)
      const known = caller.kind === 'key' ? caller.spendable : undefined
      const { usd, diem, isFrozen } =
        least !== undefined || takesFiles(id)
          ? (known ?? (await ledger.spendable(caller.account)))
          : { usd: 0n, diem: 0n, isFrozen: false }
      const isShort = least !== undefined && usd + diem < least && !hasPayment
      if ((isFrozen || isShort) && !(await keyed?.isRepeat())) {
        const reason = isFrozen ? 'frozen' : 'balance'
        const shortage = { status: 'insufficient', balance: usd, reason } as const
        const price = isFrozen ? 0n : (least ?? 0n)
        throw new HttpError(await insufficientBalance(caller, terms, id, shortage, price))
      }
      return new Charge(options, id, requestContext, { caller, credit: usd + diem, usd, isFrozen })
    },
  }
}

function takesFiles(id: OperationId): boolean {
  return 'maxFileBytes' in operations[id]
}

type Payer = {
  readonly caller: WalletCaller | KeyCaller
  /** The credit that was found before the body was read. */
  readonly credit: MicroUsd
  readonly usd: MicroUsd
  readonly isFrozen: boolean
}

/** The result of finished work. */
export type WorkResult = {
  /** Default: all that is held. */
  readonly owed?: MicroUsd | undefined
  /** False when its client left before the end. */
  readonly isWhole?: boolean
}

/**
 * - `idle`: nothing is held (before `open`, for free work, for a free repeat)
 * - `held`: the price is held while the work goes on; `balance` is what the hold left
 * - `authorized`: a payment of the scheme `upto` is held, and pays in place of the credit
 * - `captured`: the work was charged
 * - `released`: the work ended without a charge
 */
type State =
  | { readonly name: 'idle' | 'captured' | 'released' }
  | { readonly name: 'held'; readonly holdId: string; readonly balance: MicroUsd }
  | { readonly name: 'authorized'; readonly payment: HeldPayment }

/** The charge for one request. `open` comes first, and `capture` or `release` ends it. */
export class Charge {
  /** Receives what the operator is billed for the work. */
  readonly cost = createWorkCost()
  readonly #options: BillingOptions
  readonly #id: OperationId
  readonly #requestContext: RequestContext
  /** Undefined for an anonymous caller, who pays for nothing. */
  readonly #payer: Payer | undefined
  /** Whether the caller has credit, if it was looked up. */
  readonly hasCredit: boolean
  #state: State = { name: 'idle' }
  /** The highest price, and after the hold what is held. */
  #price = 0n
  /** The least that the work can be done for. */
  #floor = 0n
  #idempotency: Idempotency | undefined
  #isPaidOnce = false
  #workTimer: NodeJS.Timeout | undefined
  #outlived: HeldPayment['outlived'] | undefined

  constructor(
    options: BillingOptions,
    id: OperationId,
    requestContext: RequestContext,
    payer?: Payer,
  ) {
    this.#options = options
    this.#id = id
    this.#requestContext = requestContext
    this.#payer = payer
    // every key belongs to an account that has credit
    this.hasCredit = payer !== undefined && (payer.credit > 0n || payer.caller.kind === 'key')
  }

  /**
   * Holds the price before the work begins: that of the quote, or the fixed one of the operation.
   * Rejects a request that was charged before under its Idempotency-Key, unless it may be worked on
   * again, which is free. A payment is credited first. Resolves to the price of the work, reduced
   * to what is held for it. `stop` is called when a held payment could not be settled after more
   * work.
   */
  async open(
    quote: Pick<Quote, 'most' | 'least'> | undefined,
    keyed?: KeyedRun,
    payment?: InlinePayment,
    stop?: () => void,
  ): Promise<MicroUsd> {
    const payer = this.#payer
    if (payer === undefined) return 0n
    const { ledger, terms } = this.#options
    this.#isPaidOnce = payment?.key !== undefined
    this.#price = quote?.most ?? terms.catalogue.requestPrices.get(this.#id) ?? 0n
    this.#floor = quote?.least ?? this.#price
    if (this.#price === 0n) return 0n
    if (keyed) {
      const { account } = payer.caller
      this.#idempotency = { operation: this.#id, ...keyed.requestKey }
      const charged = await ledger.findCharge({ account, ...this.#idempotency })
      const isSame = charged?.fingerprint === this.#idempotency.fingerprint
      if (charged && !(isSame && keyed.mayRepeat)) throw this.#chargedBefore(charged)
      if (charged) return this.#price
    }
    // nothing is paid into a frozen account for this
    if (payer.isFrozen)
      throw await this.#reject(payer, {
        status: 'insufficient',
        balance: payer.usd,
        reason: 'frozen',
      })
    const funds = await payment?.fund(this.#floor)
    if (funds !== undefined && funds < this.#price) this.#price = funds
    const amount = payment?.held()
    if (amount) this.#authorize(amount, stop)
    else await this.#hold(payer)
    return this.#price
  }

  /** The rejection of undelivered work that outlived its payment. */
  async findOutlived(): Promise<HttpError | undefined> {
    if (!this.#outlived || this.#state.name === 'captured') return undefined
    return new HttpError(await this.#outlived())
  }

  /** Puts the balance after the hold on the head of a response that is captured when it ends. */
  async announce(): Promise<void> {
    if (this.#price === 0n) return
    if (this.#state.name === 'held') this.#showBalance(this.#state.balance)
    else if (this.#state.name === 'authorized') await this.#showCurrentBalance()
    else await this.#showReplay()
  }

  /** Captures what is owed, once the work is done. Rejects if it outlived its payment. */
  async capture(modelId: string | null, done: WorkResult = {}): Promise<void> {
    if (this.#price === 0n) return
    if (this.#outlived) throw new HttpError(await this.#outlived())
    const { amount, key } = this.#findDue(modelId, done)
    if (amount === 0n) {
      await this.release()
      await this.#showCurrentBalance()
      return
    }
    if (this.#state.name === 'authorized') {
      await this.#settle(this.#state.payment, amount, { modelId, key, isDelivered: false })
      await this.#showCurrentBalance()
      return
    }
    const result = await this.#capture(amount, modelId, key)
    if (result === undefined) {
      this.#reportUnpaid()
      await this.#showReplay()
    } else if (result.status === 'known') throw this.#chargedBefore(result)
    else this.#showBalance(result.balance)
  }

  /** Captures what is owed for a response that was sent, or for the finished part of it. */
  async captureSent(modelId: string | null, done: WorkResult): Promise<void> {
    const payer = this.#payer
    if (payer === undefined) return
    const { amount, key } = this.#findDue(modelId, done)
    if (amount === 0n) return
    if (this.#state.name === 'authorized')
      return this.#settle(this.#state.payment, amount, { modelId, key, isDelivered: true })
    const result = await this.#capture(amount, modelId, key)
    if (result?.status !== 'known' || result.fingerprint === this.#idempotency?.fingerprint) return
    // another process used the key meanwhile, and this response was already sent
    await this.#hold(payer)
    await this.#capture(amount, modelId)
  }

  /** Releases the hold of a request that failed or produced nothing. */
  async release(): Promise<void> {
    const state = this.#state
    clearTimeout(this.#workTimer)
    this.#reportUnpaid()
    // a capture without a response may have charged it
    if (state.name === 'held') await this.#options.ledger.undo(state.holdId)
    if (state.name === 'authorized') await state.payment.release()
  }

  /** Settles the payment over what is owed. When that fails, the state stays, so that it is released. */
  async #settle(
    payment: HeldPayment,
    amount: MicroUsd,
    work: {
      readonly modelId: string | null
      readonly key: Idempotency | undefined
      readonly isDelivered: boolean
    },
  ): Promise<void> {
    const { requestId } = this.#requestContext
    clearTimeout(this.#workTimer)
    await payment.settle(amount, { ...work, requestId, cost: this.cost.total() ?? null })
    this.#state = { name: 'captured' }
  }

  #authorize(payment: HeldPayment, stop?: () => void): void {
    this.#state = { name: 'authorized', payment }
    const stopLate = () => {
      this.#outlived = payment.outlived
      stop?.()
    }
    const { now } = this.#options.terms
    this.#workTimer = setTimeout(stopLate, payment.workUntil - now()).unref()
  }

  async #hold({ caller }: Payer): Promise<void> {
    const keyId = caller.kind === 'key' ? caller.keyId : undefined
    // the capture names the model
    const purchase = {
      account: caller.account,
      amount: this.#price,
      requestId: this.#requestContext.requestId,
      modelId: null,
      ...(keyId !== undefined && { keyId }),
      ...(this.#floor < this.#price && { least: this.#floor }),
    }
    const held = await this.#options.ledger.hold(purchase, holdLifetimeMs)
    if (held.status === 'insufficient') throw await this.#reject({ caller }, held)
    this.#state = { name: 'held', holdId: held.id, balance: held.balance }
    this.#price = this.#floor = held.amount
  }

  /** Undefined for a repeat, which is free. */
  async #capture(
    amount: MicroUsd,
    modelId: string | null,
    key?: Idempotency,
  ): Promise<Exclude<CaptureResult, { readonly status: 'ended' }> | undefined> {
    if (this.#state.name !== 'held') return undefined
    const { holdId } = this.#state
    const result = await this.#options.ledger.capture(
      holdId,
      amount,
      modelId,
      key,
      this.cost.total(),
    )
    this.#state = { name: result.status === 'captured' ? 'captured' : 'idle' }
    if (result.status === 'ended')
      throw new Error(`The hold of ${this.#requestContext.requestId} ended before its work did`)
    return result
  }

  /** What can be charged: at most what is held. The operator bears the rest. */
  #findDue(modelId: string | null, { owed = this.#price, isWhole = true }: WorkResult) {
    const amount = owed < this.#price ? owed : this.#price
    if (owed > amount) this.#options.onShortfall?.({ model: modelId ?? '', cost: owed - amount })
    // part of the work must not pay for a repeat of all of it, and a payment pays once
    const usesKey = isWhole || amount === this.#price || this.#isPaidOnce
    return { amount, key: usesKey ? this.#idempotency : undefined }
  }

  /** Ends a charge that was not captured, and reports once what its work has cost. */
  #reportUnpaid(): void {
    const { name } = this.#state
    if (this.#payer === undefined || name === 'captured' || name === 'released') return
    this.#state = { name: 'released' }
    const cost = this.cost.known()
    if (cost > 0n) this.#options.onUnpaid?.({ model: this.cost.model() ?? '', cost })
  }

  async #reject(
    { caller }: Pick<Payer, 'caller'>,
    shortage: InsufficientBalance,
  ): Promise<HttpError> {
    const { terms } = this.#options
    return new HttpError(await insufficientBalance(caller, terms, this.#id, shortage, this.#floor))
  }

  #chargedBefore({ fingerprint, entryId }: KeyedCharge): HttpError {
    return new HttpError(
      fingerprint === this.#idempotency?.fingerprint
        ? responseNotStored(
            'was charged by the ledger entry',
            entryId,
            'To have it done and charged again, use another Idempotency-Key.',
          )
        : idempotencyConflict(),
    )
  }

  #showBalance(balance: MicroUsd): void {
    if (this.#payer?.caller.kind === 'wallet')
      this.#requestContext.balanceRemaining = formatUsd(balance)
  }

  async #showCurrentBalance(): Promise<void> {
    if (this.#payer)
      this.#showBalance(await this.#options.ledger.balance(this.#payer.caller.account))
  }

  async #showReplay(): Promise<void> {
    this.#requestContext.replayed = true
    await this.#showCurrentBalance()
  }
}
