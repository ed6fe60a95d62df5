import { operations, type OperationId } from '@farebox/types/operations'
import type { Services } from '../contract/handler.js'
import type { Charged, Idempotency, InsufficientBalance } from '../domain/ledger/ledger-types.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import { lowestPrice, meteredPrice, findPrice } from '../domain/models/prices.js'
import { insufficientBalance } from '../contract/payment-required.js'
import { createWorkCost, type WorkCost } from '../platform/upstream/bills.js'
import type { RequestContext } from './request-context.js'
import type { InlinePayment } from './inline-payment.js'
import type { KeyedRun } from './replay.js'
import { doneBefore, keyConflict } from '../contract/failures.js'
import { HttpError } from './http-error.js'
import type { Input } from './read-input.js'

/** The charge for one request. After `open`, one of the other functions ends it. */
export type Charge = {
  /** Takes what the operator is billed for the work. */
  readonly cost: WorkCost
  /** Whether the caller has credit, if it was looked up. */
  readonly hasCredit: boolean
  /**
   * Holds the price before the work begins. Refuses a request that was charged before under its
   * Idempotency-Key, unless it may be worked on again, which is free. A payment is credited first.
   */
  readonly open: (input: Input, keyed?: KeyedRun, payment?: InlinePayment) => Promise<void>
  /** Whether there is a price, once it is open. */
  readonly owes: () => boolean
  /** Puts the balance after the hold on the head of a response that is captured when it ends. */
  readonly announce: () => Promise<void>
  /** Captures the price, once the work is done. */
  readonly capture: (modelId: string | null) => Promise<void>
  /** Captures the price of the finished part of a response that was sent. Releases the rest. */
  readonly captureMade: (modelId: string | null, made: number) => Promise<void>
  /** Releases the hold of a request that failed or produced nothing. */
  readonly release: () => Promise<void>
}

export type Billing = {
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
  announce: done,
  capture: done,
  captureMade: done,
  release: done,
} satisfies Omit<Charge, 'cost'>

/**
 * Charges for operations. The highest price is held before the work. The price of the finished part
 * is captured after it, once, by statements that cannot go below zero. A failed request costs
 * nothing, and nothing is charged in full twice under one Idempotency-Key.
 */
export function createBilling({ ledger, terms, onUnpaid }: BillingOptions): Billing {
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
      const { usd, diem } =
        least !== undefined || takesFiles(id)
          ? await ledger.spendable(account)
          : { usd: 0n, diem: 0n }
      if (least !== undefined && usd + diem < least && !hasPayment && !(await isRepeat()))
        throw await refuse({ status: 'insufficient', balance: usd, reason: 'balance' }, least)

      let input: Input = {}
      let price = 0n
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
        }
        const held = await ledger.hold(purchase, holdLifetimeMs)
        if (held.status === 'insufficient') throw await refuse(held, price)
        holdId = held.id
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

        open: async (given, keyed, payment) => {
          input = given
          isPaidOnce = payment?.key !== undefined
          price = findPrice(catalogue, id, input) ?? 0n
          if (price === 0n) return
          idempotency = keyed && { operation: id, ...keyed.requestKey }
          const charged = idempotency && (await ledger.findCharge({ account, ...idempotency }))
          if (
            charged &&
            (keyed?.mayRepeat !== true || charged.fingerprint !== idempotency?.fingerprint)
          )
            throw chargedBefore(charged)
          if (charged !== undefined) return
          await payment?.fund(price)
          await hold()
        },

        owes: () => price > 0n,

        announce: async () => {
          if (price === 0n) return
          if (holdId === undefined) return replayed()
          showBalance(left)
        },

        capture: async (modelId) => {
          if (price === 0n) return
          const result = await capture(price, modelId, idempotency)
          if (result === undefined) {
            reportUnpaid()
            return replayed()
          }
          if (result.status === 'known') throw chargedBefore(result)
          showBalance(result.balance)
        },

        captureMade: async (modelId, made) => {
          if (price === 0n) return
          const amount = meteredPrice(catalogue, id, input, made)
          // a part of the work must not pay for a repeat of all of it, and a payment pays once
          const result = await capture(
            amount,
            modelId,
            amount === price || isPaidOnce ? idempotency : undefined,
          )
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
