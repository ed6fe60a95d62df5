import {
  PaymentVerificationError,
  findUsdcMint,
  verifyPaymentAuthorization,
  type PaymentRequirements,
  type VerifyPaymentOptions,
} from '@farebox/auth/verify'
import {
  readRoutes,
  type FacilitatorRoute,
  checkSettlement,
  checkVerification,
  type FacilitatorClient,
  type FacilitatorReply,
  createFacilitatorRequest,
} from './facilitator-client.js'
import { listOffers, type PayeeOptions } from './payment-rails.js'
import type { OpenPayments } from './open-payments.js'
import { createUptoPayments, type UptoOptions } from './upto-payments.js'
import {
  isLate,
  type Bought,
  type PaymentBackend,
  type Settlement,
  type VerifiedPayment,
  type VerifyTerms,
  toPaymentId,
} from './payment-backend.js'

type FacilitatorPaymentsOptions = {
  readonly client: FacilitatorClient
  readonly open: OpenPayments
  /** CAIP-2 names of the networks to offer, if the facilitator supports them. */
  readonly networks: readonly string[]
  /** There are no offers on a chain without a payee. */
  readonly payees: PayeeOptions
  readonly now: () => number
  /** A recent blockhash for offers on Solana, if there is one. */
  readonly blockhash?: () => Promise<string | undefined>
  /** Called with faults of the facilitator, without secrets, and of a payment only with its id. */
  readonly onTrouble: (trouble: Error) => void
  /** How payments of the scheme `upto` are taken, if the facilitator supports it. */
  readonly upto?: Pick<UptoOptions, 'offered' | 'ledger' | 'onUnsettled'> | undefined
}

/** The lifetime of a response of `/supported`, and the wait after a failure, in milliseconds. */
const supportedForMs = 10 * 60_000
const againAfterMs = 5_000

/**
 * Payments that a facilitator verifies and settles on chain, after all checks of our own. A
 * settlement is stored before it is sent. One with an unknown outcome stays open, and the next
 * request with that payment sends the same bytes again. There are no offers before a response of
 * `/supported`.
 */
export async function createFacilitatorPayments(
  options: FacilitatorPaymentsOptions,
): Promise<PaymentBackend> {
  const { client, open, networks, payees, now, blockhash, onTrouble, upto } = options
  let routes: readonly FacilitatorRoute[] = []
  let uptoRoutes: readonly FacilitatorRoute[] = []
  let askAgainAt = 0
  let asking: Promise<void> | undefined
  await fetchRoutes()

  /** Keeps the known routes while the facilitator does not respond. */
  async function fetchRoutes(): Promise<void> {
    const reply = await client.supported()
    const supported = reply.kind === 'response' && reply.status === 200 ? reply.json : undefined
    const found = supported && readRoutes(supported, networks, payees)
    if (supported && upto) uptoRoutes = readRoutes(supported, networks, payees, 'upto')
    askAgainAt = now() + (found && found.length > 0 ? supportedForMs : againAfterMs)
    if (found) routes = found
    if (!found)
      onTrouble(
        new Error(`Facilitator: /supported gave no list of what it settles (${describe(reply)})`),
      )
    else if (found.length === 0)
      onTrouble(
        new Error(`Facilitator: it settles "exact" on none of ${networks.join(', ')} with a payee`),
      )
    if (supported && upto && uptoRoutes.length === 0)
      onTrouble(new Error('Facilitator: it settles "upto" on no EVM network with a payee'))
  }

  function fetchRoutesIfDue(): void {
    if (now() >= askAgainAt) asking ??= fetchRoutes().finally(() => (asking = undefined))
  }

  function current(): readonly FacilitatorRoute[] {
    fetchRoutesIfDue()
    return routes
  }

  async function withBlockhash(
    known: readonly FacilitatorRoute[],
  ): Promise<readonly FacilitatorRoute[]> {
    const recentBlockhash = known.some(({ network }) => findUsdcMint(network))
      ? await blockhash?.()
      : undefined
    if (recentBlockhash === undefined) return known
    return known.map((route) =>
      findUsdcMint(route.network)
        ? { ...route, extra: { ...route.extra, recentBlockhash } }
        : route,
    )
  }

  async function verify(payload: unknown, { min, max, at }: VerifyTerms): Promise<VerifiedPayment> {
    const terms = { minAmount: min, maxAmount: max, now: at === undefined ? now : () => at }
    try {
      return await verifyPaymentAuthorization(payload, listOffers(min, current()), terms)
    } catch (error) {
      if (!(error instanceof PaymentVerificationError)) throw error
      return recall(payload, terms, error)
    }
  }

  /**
   * Accepts an open payment whose offer has changed since, or is not known yet. Expired payments
   * are rejected as such.
   */
  async function recall(
    payload: unknown,
    terms: VerifyPaymentOptions,
    rejection: PaymentVerificationError,
  ): Promise<VerifiedPayment> {
    const earlier = await open.requirements()
    if (earlier.length === 0) throw rejection
    const found = await verifyPaymentAuthorization(payload, earlier, terms).catch(
      (error: unknown) => error,
    )
    if (found instanceof Error) throw isLate(found) ? found : rejection
    const payment = found as VerifiedPayment
    if (await open.isOpen(toPaymentId(payment))) return payment
    throw rejection
  }

  async function settle(payment: VerifiedPayment, bought: Bought): Promise<Settlement> {
    const id = toPaymentId(payment)
    const claimed = await open.claim(id)
    if (claimed === undefined) return { status: 'in progress' }
    if (claimed.state === 'settled') return { status: 'settled', transaction: claimed.transaction }
    const { lease } = claimed
    try {
      if (claimed.state === 'sent') return await conclude(await client.settle(claimed.body), true)
      const request = toRequest(payment, bought)
      if (!request) return await rejectSettlement({ status: 'unavailable' })
      const verdict = checkVerification(await client.verify(request.body), payment)
      if (verdict.status !== 'valid')
        return await rejectSettlement(
          verdict.status === 'invalid' ? { status: 'failed', reason: verdict.reason } : verdict,
        )
      await open.sending(id, lease, request.body, { requirements: request.requirements })
      return await conclude(await client.settle(request.body), false)
    } finally {
      // without effect on a payment that was dropped or settled
      await open.endLease(id, lease)
    }

    async function rejectSettlement(
      settlement: Settlement & { readonly why?: string },
    ): Promise<Settlement> {
      if (settlement.status === 'unavailable')
        onTrouble(
          new Error(
            `Facilitator: ${id} was not verified (${settlement.why ?? 'nothing is settled on its network'})`,
          ),
        )
      await open.drop(id, lease)
      return settlement
    }

    /** A rejection does not prove that a payment that was sent before has failed. */
    async function conclude(reply: FacilitatorReply, sentBefore: boolean): Promise<Settlement> {
      const outcome = checkSettlement(reply, payment)
      if (outcome.status === 'settled') {
        await open.settled(id, outcome.transaction)
        return outcome
      }
      if (!sentBefore && outcome.status !== 'unknown') return rejectSettlement(outcome)
      const why = outcome.status === 'failed' ? outcome.reason : outcome.why
      onTrouble(new Error(`Facilitator: the outcome of ${id} is unknown (${why})`))
      return { status: 'unknown' }
    }
  }

  function toRequest(
    payment: VerifiedPayment,
    bought: Bought,
  ): { readonly body: string; readonly requirements: PaymentRequirements } | undefined {
    const route = current().find(({ network }) => network === payment.network)
    const [requirements] = listOffers(payment.amount, route ? [route] : [])
    if (!route || !requirements) return undefined
    return {
      requirements,
      body: createFacilitatorRequest(payment, requirements, route.version, bought),
    }
  }

  return {
    name: 'facilitator',
    offers: async (amount) => listOffers(amount, await withBlockhash(current())),
    verify,
    settle,
    isOpen: (payment) => open.isOpen(toPaymentId(payment)),
    ...(upto && {
      upto: createUptoPayments({
        ...upto,
        client,
        open,
        now,
        onTrouble,
        routes: () => {
          fetchRoutesIfDue()
          return uptoRoutes
        },
      }),
    }),
  }
}

function describe(reply: FacilitatorReply): string {
  return reply.kind === 'response' ? `status ${reply.status}` : reply.why
}
