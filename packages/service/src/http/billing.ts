import { operations, type OperationId } from '@farebox/types/operations'
import type { Services } from '../contract/handler.js'
import type { InsufficientBalance } from '../domain/ledger/ledger-types.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import { billingOf, leastPriceOf, priceOf } from '../domain/models/prices.js'
import { insufficientBalance } from '../contract/payment-required.js'
import type { RequestContext } from './request-context.js'
import { keyConflict } from '../contract/failures.js'
import { fingerprintOf } from '../domain/ledger/fingerprint.js'
import { HttpError } from './http-error.js'
import type { Input } from './read-input.js'

/** The charge for one request. After `open`, one of the other functions ends it. */
export type Charge = {
  /** Whether the caller has credit, if it was looked up. */
  readonly hasCredit: boolean
  /**
   * Holds the price before the work begins, unless the request was paid before under its
   * Idempotency-Key.
   */
  readonly open: (input: Input) => Promise<void>
  /** Whether there is a price, once it is open. */
  readonly owes: () => boolean
  /** Captures the price, when the first byte of the response is there. */
  readonly capture: (modelId: string | null) => Promise<void>
  /** Releases the hold of a request that failed. */
  readonly release: () => Promise<void>
  /** Refunds a response that broke off by our own fault. */
  readonly refund: () => Promise<void>
}

export type Billing = {
  /** Refuses a caller who cannot pay a price that is known before the body is read. */
  readonly admit: (id: OperationId, request: Request, requestContext: RequestContext) => Promise<Charge>
}

export type BillingOptions = Pick<Services, 'ledger' | 'terms'> & {
  /**
   * Whether an Idempotency-Key queued a video before, whose price is held or captured already.
   * Default: never.
   */
  readonly wasQueued?: (account: string, key: string) => Promise<boolean>
}

/** A hold that outlives this was left by a process that died. */
export const holdLifetimeMs = 15 * 60_000

const done = async () => undefined
const free: Charge = { hasCredit: false, open: done, owes: () => false, capture: done, release: done, refund: done }

/**
 * Charges for operations. The price is held before the work and captured with the first byte of the
 * response, by statements that cannot go below zero. A failed request costs nothing. The service
 * works again on a request that was paid before under its Idempotency-Key, and does not charge it
 * again.
 */
export function createBilling({ ledger, terms, wasQueued = async () => false }: BillingOptions): Billing {
  const isQueued = async (id: OperationId, account: string, key: string | null) =>
    billingOf(id) === 'quote' && key !== null && (await wasQueued(account, key))

  return {
    admit: async (id, request, requestContext) => {
      const { caller, requestId } = requestContext
      if (caller.kind === 'anonymous') return free
      const { account } = caller
      const key = request.headers.get('idempotency-key')
      const paidBefore = key === null ? undefined : await ledger.findCharge({ account, operation: id, key })
      const refuse = async (shortage: InsufficientBalance, price: MicroUsd) =>
        new HttpError(await insufficientBalance(caller, terms, shortage, price))
      const least = leastPriceOf(id)
      const { usd, diem } = least !== undefined || takesFiles(id) ? await ledger.spendable(account) : { usd: 0n, diem: 0n }
      if (least !== undefined && usd + diem < least && paidBefore === undefined && !(await isQueued(id, account, key)))
        throw await refuse({ status: 'insufficient', balance: usd, reason: 'balance' }, least)

      let price = 0n
      let fingerprint = ''
      let holdId: string | undefined
      let entryId: string | undefined
      // once a capture was sent, the hold may have been captured, even if no response came
      let isCapturing = false
      const showBalance = (balance: MicroUsd) => {
        if (caller.kind === 'wallet') requestContext.balanceRemaining = formatUsd(balance)
      }
      const replayed = async () => {
        requestContext.replayed = true
        showBalance(await ledger.balance(account))
      }
      const release = async () => {
        const open = holdId
        holdId = undefined
        if (open === undefined) return
        if (isCapturing) await ledger.undo(open)
        else await ledger.release(open)
      }

      return {
        // every key belongs to an account that has credit
        hasCredit: usd + diem > 0n || caller.kind === 'key',

        open: async (input) => {
          price = priceOf(id, input) ?? 0n
          if (price === 0n) return
          if (key !== null) fingerprint = fingerprintOf(input)
          if (paidBefore !== undefined && paidBefore !== fingerprint) throw new HttpError(keyConflict())
          if (paidBefore !== undefined) return
          const keyId = caller.kind === 'key' ? caller.keyId : undefined
          // the capture names the model
          const purchase = { account, amount: price, requestId, modelId: null, ...(keyId !== undefined && { keyId }) }
          const held = await ledger.hold(purchase, holdLifetimeMs)
          if (held.status === 'insufficient') throw await refuse(held, price)
          holdId = held.id
        },

        owes: () => price > 0n,

        capture: async (modelId) => {
          if (price === 0n) return
          if (holdId === undefined) return replayed()
          const idempotency = key === null ? undefined : { operation: id, key, fingerprint }
          isCapturing = true
          const result = await ledger.capture(holdId, price, modelId, idempotency)
          holdId = undefined
          if (result.status === 'known' && result.fingerprint !== fingerprint) throw new HttpError(keyConflict())
          if (result.status === 'known') return replayed()
          if (result.status === 'ended') throw new Error(`The hold of ${requestId} ended before its work did`)
          entryId = result.entryId
          showBalance(result.balance)
        },

        release,

        refund: async () => {
          await release()
          if (entryId !== undefined) await ledger.refund(entryId)
        },
      }
    },
  }
}

function takesFiles(id: OperationId): boolean {
  return 'maxFileBytes' in operations[id]
}
