import { operations, type OperationId } from '@farebox/types/operations'
import { doneBefore, keyConflict } from '../contract/failures.js'
import type { Quote, Services } from '../contract/handler.js'
import { insufficientBalance } from '../contract/payment-required.js'
import type { Charged, Idempotency, InsufficientBalance } from '../domain/ledger/ledger-types.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import { lowestPrice } from '../domain/models/catalogue.js'
import { createWorkCost, type WorkCost } from '../platform/upstream/work-cost.js'
import type { InlinePayment } from './inline-payment.js'
import type { KeyedRun } from './replay.js'
import { HttpError } from './reply.js'
import type { RequestContext } from './request-context.js'

/** The charge for one request. After `open`, one of the other functions ends it. */
export type Charge = {
  /** Takes what the operator is billed for the work. */
  readonly cost: WorkCost
  /** Whether the caller has credit, if it was looked up. */
  readonly hasCredit: boolean
  /**
   * Holds the price before the work begins: that of the quote, or the fixed one of the operation.
   * Refuses a request that was charged before under its
   * Idempotency-Key, unless it may be worked on again, which is free. A payment is credited first.
   */
  readonly open: (
    quote: Pick<Quote, 'most' | 'least'> | undefined,
    keyed?: KeyedRun,
    payment?: InlinePayment,
  ) => Promise<void>
  /** Whether there is a price, once it is open. */
  readonly owes: () => boolean
  /** What is held. */
  readonly held: () => MicroUsd
  /** Puts the balance after the hold on the head of a response that is captured when it ends. */
  readonly announce: () => Promise<void>
  /** Captures what is owed, once the work is done: all that is held, if nothing else is said. */
  readonly capture: (modelId: string | null, done?: Done) => Promise<void>
  /** Captures what is owed for a response that was sent, or for the finished part of it. */
  readonly captureSent: (modelId: string | null, done: Done) => Promise<void>
  /** Releases the hold of a request that failed or produced nothing. */
  readonly release: () => Promise<void>
}

/** Work that has ended. */
type Done = {
  /** Default: all that is held. */
  readonly owed?: MicroUsd | undefined
  /** False when its client left before the end. */
  readonly isWhole?: boolean
}

type Billing = {
  /**
   * Refuses a caller who cannot pay a price that is known before the body is read, unless a payment
   * came with the request.
   */
  readonly admit: (
    id: OperationId,
    requestContext: RequestContext,
    isRepeat: () => Promise<boolean>,
    hasPayment: boolean,
  ) => Promise<Charge>
}

export type BillingOptions = Pick<Services, 'ledger' | 'terms'> & {
  /** Called for work that is not charged, but has cost the operator something, in micro-USD. */
  readonly onUnpaid?:
    | ((work: { readonly model: string; readonly cost: MicroUsd }) => void)
    | undefined
  /** Called for work that costs more than was held, with the rest in micro-USD. */
  readonly onShort?: BillingOptions['onUnpaid'] | undefined
}

/**
 * Longer than any work and the sending of its response. The hold of a process that died ends with
 * its lease.
 */
export const holdLifetimeMs = 2 * 60 * 60_000

const done = async () => undefined
const free = {
  hasCredit: false,
  open: done,
  owes: () => false,
  held: () => 0n,
  announce: done,
  capture: done,
  captureSent: done,
  release: done,
} satisfies Omit<Charge, 'cost'>

/**
 * Charges for operations. The highest price is held before the work. What is owed for the finished
 * part is captured after it, once, by statements that cannot go below zero. A failed request costs
 * nothing, and nothing is charged in full twice under one Idempotency-Key.
 */
export function createBilling({ ledger, terms, onUnpaid, onShort }: BillingOptions): Billing {
  const { catalogue } = terms
  return {
    admit: async (id, requestContext, isRepeat, hasPayment) => {
      const { caller, requestId } = requestContext
      const cost = createWorkCost()
      if (caller.kind === 'anonymous') return { ...free, cost }
      const { account } = caller
      const refuse = async (shortage: InsufficientBalance, price: MicroUsd) =>
        new HttpError(await insufficientBalance(caller, terms, id, shortage, price))
      const least = lowestPrice(catalogue, id)
      const { usd, diem, isFrozen } =
        least !== undefined || takesFiles(id)
          ? await ledger.spendable(account)
          : { usd: 0n, diem: 0n, isFrozen: false }
      const frozen = { status: 'insufficient', balance: usd, reason: 'frozen' } as const
      if (isFrozen && !(await isRepeat())) throw await refuse(frozen, 0n)
      if (least !== undefined && usd + diem < least && !hasPayment && !(await isRepeat()))
        throw await refuse({ status: 'insufficient', balance: usd, reason: 'balance' }, least)

      let price = 0n
      /** The least that the work can be done for. */
      let floor = 0n
      let idempotency: Idempotency | undefined
      let isPaidOnce = false
      let left = 0n
      let holdId: string | undefined
      let isPaid = false
      const showBalance = (balance: MicroUsd) => {
        if (caller.kind === 'wallet') requestContext.balanceRemaining = formatUsd(balance)
      }
      const chargedBefore = ({ fingerprint, entryId: earlier }: Charged) =>
        new HttpError(
          fingerprint === idempotency?.fingerprint
            ? doneBefore(
                'was charged by the ledger entry',
                earlier,
                'To have it done and charged again, use another Idempotency-Key.',
              )
            : keyConflict(),
        )
      const replayed = async () => {
        requestContext.replayed = true
        showBalance(await ledger.balance(account))
      }
      const hold = async () => {
        const keyId = caller.kind === 'key' ? caller.keyId : undefined
        // the capture names the model
        const purchase = {
          account,
          amount: price,
          requestId,
          modelId: null,
          ...(keyId !== undefined && { keyId }),
          ...(floor < price && { least: floor }),
        }
        const held = await ledger.hold(purchase, holdLifetimeMs)
        if (held.status === 'insufficient') throw await refuse(held, floor)
        holdId = held.id
        price = floor = held.amount
        left = held.balance
      }
      /** Undefined for a repeat, which is free. */
      const capture = async (amount: MicroUsd, modelId: string | null, key?: Idempotency) => {
        if (holdId === undefined) return undefined
        const result = await ledger.capture(holdId, amount, modelId, key, cost.total())
        holdId = undefined
        isPaid ||= result.status === 'captured'
        if (result.status === 'ended')
          throw new Error(`The hold of ${requestId} ended before its work did`)
        return result
      }
      /** What can be charged. The rest is a loss of the operator. */
      const bounded = (owed: MicroUsd, modelId: string | null) => {
        if (owed > price) onShort?.({ model: modelId ?? '', cost: owed - price })
        return owed > price ? price : owed
      }
      /** A part of the work must not pay for a repeat of all of it, and a payment pays once. */
      const keyFor = (amount: MicroUsd, isWhole: boolean) =>
        isWhole || amount === price || isPaidOnce ? idempotency : undefined
      /** Once, at the end of the work. */
      const reportUnpaid = () => {
        if (!isPaid && cost.known() > 0n)
          onUnpaid?.({ model: cost.model() ?? '', cost: cost.known() })
        isPaid = true
      }
      const release = async () => {
        const open = holdId
        holdId = undefined
        reportUnpaid()
        // a capture that got no response may have charged it
        if (open !== undefined) await ledger.undo(open)
      }

      return {
        cost,
        // every key belongs to an account that has credit
        hasCredit: usd + diem > 0n || caller.kind === 'key',

        open: async (quote, keyed, payment) => {
          isPaidOnce = payment?.key !== undefined
          price = quote?.most ?? catalogue.requestPrices.get(id) ?? 0n
          floor = quote?.least ?? price
          if (price === 0n) return
          idempotency = keyed && { operation: id, ...keyed.requestKey }
          const charged = idempotency && (await ledger.findCharge({ account, ...idempotency }))
          if (
            charged &&
            (keyed?.mayRepeat !== true || charged.fingerprint !== idempotency?.fingerprint)
          )
            throw chargedBefore(charged)
          if (charged !== undefined) return
          // nothing is paid into a frozen account for this
          if (isFrozen) throw await refuse(frozen, floor)
          const funds = await payment?.fund(floor)
          if (funds !== undefined && funds < price) price = funds
          await hold()
        },

        owes: () => price > 0n,
        held: () => price,

        announce: async () => {
          if (price === 0n) return
          if (holdId === undefined) return replayed()
          showBalance(left)
        },

        capture: async (modelId, { owed = price, isWhole = true } = {}) => {
          if (price === 0n) return
          const amount = bounded(owed, modelId)
          if (amount === 0n) {
            await release()
            return showBalance(await ledger.balance(account))
          }
          const result = await capture(amount, modelId, keyFor(amount, isWhole))
          if (result === undefined) {
            reportUnpaid()
            return replayed()
          }
          if (result.status === 'known') throw chargedBefore(result)
          showBalance(result.balance)
        },

        captureSent: async (modelId, { owed = price, isWhole = true }) => {
          const amount = bounded(owed, modelId)
          if (amount === 0n) return
          const result = await capture(amount, modelId, keyFor(amount, isWhole))
          if (result?.status !== 'known' || result.fingerprint === idempotency?.fingerprint) return
          // a request of another process took the key meanwhile, and this one was sent already
          await hold()
          await capture(amount, modelId)
        },

        release,
      }
    },
  }
}

function takesFiles(id: OperationId): boolean {
  return 'maxFileBytes' in operations[id]
}
