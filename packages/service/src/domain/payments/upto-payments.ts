import { verifyPaymentAuthorization, type VerifiedPayment } from '@farebox/auth/verify'
import type { Ledger } from '../ledger/ledger.js'
import type { MicroUsd } from '../ledger/money.js'
import { readDue, toDue, writeDue, type Due } from './debts.js'
import {
  checkSettlement,
  checkVerification,
  createFacilitatorRequest,
  facilitatorTimeouts,
  type FacilitatorClient,
  type FacilitatorRoute,
} from './facilitator-client.js'
import type { OpenPayments } from './open-payments.js'
import {
  toPaymentId,
  type Bought,
  type Settlement,
  type UptoHold,
  type UptoPayments,
} from './payment-backend.js'
import { listOffers } from './payment-rails.js'

/** The least maximum of a payment: 0.01 USD. */
export const minimumUpto = 10_000n

/**
 * How long before the end of a permit its work must end, in milliseconds: the time of a settlement,
 * and the difference between the clocks of this machine and the chain.
 */
const settlementMs = facilitatorTimeouts.settle + 20_000

/** The shortest time for work, in milliseconds. No work begins for a permit that leaves less. */
const minWorkMs = 20_000

/** A permit of which nothing was settled can be written off when it ends, so not in years. */
const longestHoldMs = 24 * 3_600_000

export type UptoOptions = {
  readonly client: FacilitatorClient
  readonly open: OpenPayments
  readonly ledger: Pick<Ledger, 'chargePayment'>
  /** The current routes. */
  readonly routes: () => readonly FacilitatorRoute[]
  readonly offered: MicroUsd
  readonly now: () => number
  readonly onTrouble: (trouble: Error) => void
  /** Called for delivered work whose settlement failed, with its price. */
  readonly onUnsettled: (work: { readonly model: string; readonly cost: MicroUsd }) => void
}

/**
 * Payments of the scheme `upto` at a facilitator. A payment is held by its nonce in the database.
 * Its settlement is stored with what it is for before it is sent, and the ledger has credit and
 * charge once it has succeeded. `retry` continues what was not settled or not charged.
 */
export function createUptoPayments(options: UptoOptions): UptoPayments {
  const { client, open, ledger, routes, offered, now, onTrouble, onUnsettled } = options
  const offers = (most: MicroUsd) => listOffers(most, routes(), 'upto')

  return {
    offered,
    offers,
    verify: (payload, { min, max, at }) =>
      verifyPaymentAuthorization(payload, offers(min), {
        minAmount: min,
        maxAmount: max,
        now: at === undefined ? now : () => at,
      }),
    hold,
    retry: async () => {
      for (const { id, due } of await open.listDue()) await retryOne(id, readDue(due))
    },
  }

  async function hold(payment: VerifiedPayment, bought: Bought): Promise<UptoHold> {
    const { payer, network, amount } = payment
    const route = routes().find((one) => one.network === network)
    const [requirements] = listOffers(amount, route ? [route] : [], 'upto')
    if (payment.scheme !== 'upto' || !requirements) return { status: 'unavailable' }
    const settleUntil = Number(payment.validBefore) * 1000
    const workUntil = settleUntil - settlementMs
    if (workUntil - now() < minWorkMs || settleUntil - now() > longestHoldMs) {
      const leastSeconds = (minWorkMs + settlementMs) / 1000
      return { status: 'other deadline', leastSeconds, mostSeconds: longestHoldMs / 1000 }
    }
    if (await open.isStopped(payer)) return { status: 'stopped' }
    const id = toPaymentId(payment)
    // nobody can settle it after its end
    const claimed = await open.claim(id, settleUntil - now())
    if (!claimed) return { status: 'in progress' }
    if (claimed.state !== 'new') {
      if (claimed.state === 'sent') await open.endLease(id, claimed.lease)
      return { status: 'used' }
    }
    const { lease } = claimed
    const release = () => open.drop(id, lease)
    const createRequestBody = (owed?: bigint) =>
      createFacilitatorRequest(payment, requirements, 2, bought, owed)
    try {
      const verdict = checkVerification(await client.verify(createRequestBody()), payment)
      if (verdict.status === 'invalid') {
        await release()
        return { status: 'failed', reason: verdict.reason }
      }
      if (verdict.status === 'unavailable') {
        onTrouble(new Error(`Facilitator: ${id} was not verified (${verdict.why})`))
        await release()
        return { status: 'unavailable' }
      }
    } catch (error) {
      await release().catch(() => undefined)
      throw error
    }
    let isSent = false
    return {
      status: 'held',
      workUntil,
      // a settlement that was sent may succeed, so its row stays
      release: async () => {
        if (!isSent) await release()
      },
      settle: async (owed, work, isDelivered) => {
        const due = toDue(payment, owed, work)
        const body = createRequestBody(owed)
        isSent = true
        await open.sending(id, lease, body, { owed: { payer, due: writeDue(due) } })
        const settlement = await send(id, body, due)
        if (settlement.status === 'settled') return settlement
        const isLost = isDelivered || settlement.status === 'unknown'
        if (isLost) {
          onUnsettled({ model: work.modelId ?? '', cost: owed })
          await open.unsettled(id)
        } else await release()
        return settlement
      },
    }
  }

  /** Sends a settlement that was stored. The ledger may have its charge only later. */
  async function send(id: string, body: string, due: Due): Promise<Settlement> {
    const outcome = checkSettlement(await client.settle(body), due.payment)
    if (outcome.status === 'settled') {
      const { transaction } = outcome
      await open
        .settled(id, transaction)
        .then(() => charge(id, due, transaction))
        .catch(onTrouble)
      return outcome
    }
    const why = outcome.status === 'failed' ? outcome.reason : outcome.why
    onTrouble(new Error(`Facilitator: ${id} was not settled (${why})`))
    return outcome.status === 'failed' ? outcome : { status: outcome.status }
  }

  async function charge(id: string, { payment, work }: Due, transaction: string): Promise<void> {
    await ledger.chargePayment({ ...payment, id, settledBy: 'facilitator', transaction }, work)
    await open.charged(id)
  }

  async function retryOne(id: string, due: Due): Promise<void> {
    const claimed = await open.claim(id)
    if (claimed?.state === 'settled') return charge(id, due, claimed.transaction)
    if (claimed?.state !== 'sent') return
    const { status } = await send(id, claimed.body, due)
    if (status !== 'settled') await open.unsettled(id)
  }
}
