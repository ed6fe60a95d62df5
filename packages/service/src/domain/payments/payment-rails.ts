import { findRailKind, type RailKind } from '@farebox/auth/verify'
import { evmPayments } from './evm-payments.js'
import type { PayeeOptions, ServiceRail } from './service-rail.js'
import { solanaPayments } from './solana-payments.js'

/** The payment rails, by the `kind` of their payments. */
export const paymentRails: { readonly [Kind in RailKind]: ServiceRail } = {
  evm: evmPayments,
  solana: solanaPayments,
}

/** The rail of a network (CAIP-2). */
export function findRail(network: string): ServiceRail {
  return paymentRails[findRailKind(network)]
}

/** The given payees, by option. Throws the error of `refused` for a text that is not an address. */
export function readPayees(
  given: (rail: ServiceRail) => string | undefined,
  refused: (rail: ServiceRail, found: string) => Error,
): PayeeOptions {
  const read = (rail: ServiceRail): [string, string][] => {
    const found = given(rail)
    if (found === undefined) return []
    if (!rail.isPayee(found)) throw refused(rail, found)
    return [[rail.option, found]]
  }
  return Object.fromEntries(Object.values(paymentRails).flatMap(read))
}
