import type { Database } from '../platform/database/database.js'
import {
  createFacilitatorClient,
  facilitatorTimeouts,
} from '../domain/payments/facilitator-client.js'
import { facilitatorPayments } from '../domain/payments/facilitator-payments.js'
import { noPayments } from '../domain/payments/local-payments.js'
import { localPayments } from '../domain/payments/local-payments.js'
import { createOpenPayments } from '../domain/payments/open-payments.js'
import type { PaymentBackend } from '../domain/payments/payment-backend.js'
import { paymentRails, readPayees } from '../domain/payments/payment-rails.js'
import type { PayeeOptions } from '../domain/payments/service-rail.js'
import { createSolanaBlockhash } from '../domain/payments/solana-blockhash.js'
import type { Observers } from './observers.js'
import type { ServiceOptions } from './service-options.js'

export type PaymentSources = {
  readonly database: Database
  readonly now: () => number
  readonly id: () => string
  readonly troubleWith: Observers['troubleWith']
}

/** Longer than a settlement takes, so that no two requests settle a payment at the same time. */
const settlementLeaseMs = facilitatorTimeouts.verify + facilitatorTimeouts.settle + 20_000

/** The payments of the options: settled by a facilitator, or verified here without a chain. */
export async function openPayments(
  options: ServiceOptions,
  { database, now, id, troubleWith }: PaymentSources,
): Promise<PaymentBackend> {
  const { facilitator } = options
  if (options.wallets === false) return noPayments
  const payees = readPayeeOptions(options)
  if (facilitator === undefined) return localPayments({ ...payees, now })
  const open = createOpenPayments(database, { now, id, leaseMs: settlementLeaseMs })
  // the lock of the folder excludes other processes
  if (options.databaseUrl === undefined) await open.endAllLeases()
  return facilitatorPayments({
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

/** Throws a RangeError for a facilitator that cannot be used. */
export function checkFacilitator({ facilitator, ...options }: ServiceOptions): void {
  if (facilitator === undefined) return
  if (!URL.canParse(facilitator.url))
    throw new RangeError('createService: facilitator.url is not a URL')
  const payeeOptions = Object.values(paymentRails).map(({ option }) => option)
  if (payeeOptions.every((option) => options[option] === undefined)) {
    throw new RangeError(
      `createService: with a facilitator money moves; expected ${payeeOptions.join(' or ')}`,
    )
  }
}
