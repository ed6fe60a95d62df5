import {
  createFacilitatorClient,
  facilitatorTimeouts,
} from '../domain/payments/facilitator-client.js'
import { createFacilitatorPayments } from '../domain/payments/facilitator-payments.js'
import { noPayments, localPayments } from '../domain/payments/local-payments.js'
import { createOpenPayments } from '../domain/payments/open-payments.js'
import type { PaymentBackend } from '../domain/payments/payment-backend.js'
import { paymentRails, readPayees, type PayeeOptions } from '../domain/payments/payment-rails.js'
import { createSolanaBlockhash } from '../domain/payments/solana.js'
import { minimumUpto, type UptoOptions } from '../domain/payments/upto-payments.js'
import type { Ledger } from '../domain/ledger/ledger.js'
import { toMicroUsd, toUsd } from '../domain/ledger/money.js'
import type { Database } from '../platform/database/database.js'
import { isLoopback } from '../platform/server/client-address.js'
import type { UpstreamSettings } from '../platform/upstream/upstream-settings.js'
import type { Observers } from './observers.js'
import type { ServiceOptions } from './service-options.js'

/** What an operator chose about the payments of wallets. */
type SettlementChoice = {
  /** Whether a facilitator, or a backend of the operator, settles them. */
  readonly settles: boolean
  /** Whether wallets are accepted. */
  readonly wallets: boolean
  /** Whether payments that move no money are credited. */
  readonly unsettledPayments: boolean
}

/** The choice of the command line, which has no payment backend of its own. */
export function toSettlementChoice({
  facilitator,
  wallets,
  unsettledPayments,
}: Omit<SettlementChoice, 'settles'> & { readonly facilitator: unknown }) {
  return { settles: facilitator !== undefined, wallets, unsettledPayments }
}

/** Who can reach the service, and who bills for its work. */
type Exposure = {
  readonly origin?: string | undefined
  /** The address that it listens at. */
  readonly host?: string
  readonly upstreams: readonly Pick<UpstreamSettings, 'name' | 'url' | 'cost'>[]
}

/**
 * Why a service with this choice must not start. Without settlement, a signature of an empty wallet
 * buys credit, so a public service, or one that pays upstreams, must choose explicitly.
 */
export function findSettlementFault(
  { settles, wallets, unsettledPayments }: SettlementChoice,
  exposure: Exposure,
): string | undefined {
  if (Number(settles) + Number(!wallets) + Number(unsettledPayments) > 1)
    return 'Found more than one of --facilitator, --no-wallets and --unsettled-payments, expected one.'
  if (settles || !wallets || unsettledPayments) return undefined
  const why = describeExposure(exposure)
  if (why === undefined) return undefined
  return `${why}, and payments are not settled: any signature of an empty wallet would buy credit. Give --facilitator URL, --no-wallets (API keys only) or --unsettled-payments (as options of createService: facilitator, wallets: false, unsettledPayments: true).`
}

function describeExposure({ origin, host, upstreams }: Exposure): string | undefined {
  if (origin !== undefined && !isLoopback(new URL(origin).hostname))
    return `The origin ${origin} is public`
  if (host !== undefined && !isLoopback(host)) return `The service listens at ${host}`
  const billing = upstreams.find(
    ({ url, cost }) => !isLoopback(new URL(url).hostname) || Object.keys(cost).length > 0,
  )
  return billing && `The upstream "${billing.name}" may bill`
}

/**
 * Throws a RangeError if the options must say how payments are settled and do not. A later
 * `replace` of the upstreams throws it too.
 */
export function requireSettlement(options: ServiceOptions, origin: string): void {
  const { wallets = true, unsettledPayments = false } = options
  const settles = options.facilitator !== undefined || options.payments !== undefined
  const check = (upstreams: Exposure['upstreams']) => {
    const fault = findSettlementFault(
      { settles, wallets, unsettledPayments },
      { origin, upstreams },
    )
    if (fault !== undefined) throw new RangeError(fault)
  }
  check([])
  options.upstreams?.require(check)
}

type PaymentSources = {
  readonly database: Database
  readonly now: () => number
  readonly id: () => string
  readonly troubleWith: Observers['troubleWith']
  readonly ledger: Pick<Ledger, 'chargePayment'>
  readonly onUnsettled: UptoOptions['onUnsettled']
}

/** Longer than a settlement takes, so that no two requests settle a payment at the same time. */
const settlementLeaseMs = facilitatorTimeouts.verify + facilitatorTimeouts.settle + 20_000

/** The payments of the options: settled by a facilitator, or verified here without a chain. */
export async function openPayments(
  options: ServiceOptions,
  { database, now, id, troubleWith, ledger, onUnsettled }: PaymentSources,
): Promise<PaymentBackend> {
  const { facilitator } = options
  if (options.wallets === false) return noPayments
  const payees = readPayeeOptions(options)
  if (facilitator === undefined) return localPayments({ ...payees, now })
  const open = createOpenPayments(database, { now, id, leaseMs: settlementLeaseMs })
  // the lock of the folder excludes other processes
  if (options.databaseUrl === undefined) await open.endAllLeases()
  return createFacilitatorPayments({
    client: createFacilitatorClient(facilitator),
    open,
    networks: facilitator.networks ?? Object.values(paymentRails).map(({ network }) => network),
    payees,
    now,
    ...(facilitator.solanaRpc && {
      blockhash: createSolanaBlockhash({
        ...facilitator.solanaRpc,
        now,
        onTrouble: troubleWith('solana-rpc'),
      }),
    }),
    onTrouble: troubleWith('facilitator'),
    ...(facilitator.uptoUsd !== undefined && {
      upto: { offered: toMicroUsd(facilitator.uptoUsd), ledger, onUnsettled },
    }),
  })
}

/** Throws a RangeError for an invalid payee. */
export function readPayeeOptions(options: ServiceOptions): PayeeOptions {
  return readPayees(
    ({ option }) => options[option],
    ({ option, form }, found) =>
      new RangeError(`createService: ${option} is "${found}", expected ${form}`),
  )
}

/** Throws a RangeError for an unusable facilitator. */
export function checkFacilitator({ facilitator, ...options }: ServiceOptions): void {
  if (facilitator === undefined) return
  if (!URL.canParse(facilitator.url))
    throw new RangeError('createService: facilitator.url is not a URL')
  const { uptoUsd } = facilitator
  if (uptoUsd !== undefined && !(uptoUsd >= toUsd(minimumUpto) && uptoUsd <= 10_000)) {
    throw new RangeError(
      `createService: facilitator.uptoUsd is ${uptoUsd}, expected ${toUsd(minimumUpto)} to 10000 USD`,
    )
  }
  const payeeOptions = Object.values(paymentRails).map(({ option }) => option)
  if (payeeOptions.every((option) => options[option] === undefined)) {
    throw new RangeError(
      `createService: with a facilitator money moves; expected ${payeeOptions.join(' or ')}`,
    )
  }
}
