import {
  findRailKind,
  findUsdcContract,
  findUsdcToken,
  type PaymentRequirements,
  type RailKind,
  type VerifiedPayment,
} from '@farebox/auth/verify'
import type { Bought } from './payment-backend.js'
import { isSolanaAddress, createLocalBlockhash } from './solana.js'

type Extra = Readonly<Record<string, unknown>>

/** The payees of offers. */
export type PayeeOptions = {
  /** The EVM payee of offers. Default: an address without an owner. */
  readonly payTo?: string
  /** The Solana payee of offers. Default: an address without an owner. */
  readonly payToSolana?: string
}

/** The flags of `farebox-service` for payees. `program.ts` declares them. */
type PayeeFlag = 'pay-to' | 'pay-to-solana'

/** How the service is paid on one payment rail. Only a facilitator moves money. */
type ServiceRail = {
  /** Its payee in the options of `createService`. */
  readonly option: keyof PayeeOptions
  /** The flag of `farebox-service` for the payee. */
  readonly flag: PayeeFlag
  readonly isPayee: (text: string) => boolean
  /** The form of a payee, for messages. */
  readonly form: string
  /** An address without an owner, for offers without a chain. */
  readonly nobody: string
  /** The network that is offered by default (CAIP-2). */
  readonly network: string
  /** The name of the chain in a 402 for too low a balance. */
  readonly chain: string
  /** The `extra` of each offer on a network. */
  readonly offerExtra: (network: string) => Extra
  /**
   * The `extra` from an entry of `/supported`, by scheme. Undefined for an entry that cannot be used.
   */
  readonly facilitatorExtra: {
    readonly [Scheme in VerifiedPayment['scheme']]?: (supported: Extra) => Extra | undefined
  }
  /** The `extra` of an offer without a chain. `now` is in milliseconds since 1970. */
  readonly localExtra: (now: number) => Extra
}

function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0+$/.test(text)
}

const evmPayments: ServiceRail = {
  option: 'payTo',
  flag: 'pay-to',
  isPayee: isEvmAddress,
  form: '0x and 40 hex digits that are not all 0',
  nobody: '0x000000000000000000000000000000000000dEaD',
  network: 'eip155:8453',
  chain: 'base',
  // the EIP-712 domain of the contract
  offerExtra: (network) => {
    const { name, version } = findUsdcContract(network) ?? {}
    return { name, version }
  },
  facilitatorExtra: {
    exact: () => ({}),
    // a permit names the only account that may settle it
    upto: ({ facilitatorAddress }) =>
      typeof facilitatorAddress === 'string' && isEvmAddress(facilitatorAddress)
        ? { assetTransferMethod: 'permit2', facilitatorAddress }
        : undefined,
  },
  localExtra: () => ({}),
}

/** This address has no owner, so a chain never accepts the transaction. */
const feePayer = 'FareboxNobodyPaysTheFee11111111111111111111'

const solanaPayments: ServiceRail = {
  option: 'payToSolana',
  flag: 'pay-to-solana',
  isPayee: isSolanaAddress,
  form: 'base58 of 32 bytes',
  // known as the incinerator
  nobody: '1nc1nerator11111111111111111111111111111111',
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  chain: 'solana',
  offerExtra: () => ({}),
  // the facilitator pays the fee, so it must name the account
  facilitatorExtra: {
    exact: ({ feePayer: named }) =>
      typeof named === 'string' && isSolanaAddress(named) ? { feePayer: named } : undefined,
  },
  localExtra: (now) => ({ feePayer, recentBlockhash: createLocalBlockhash(now) }),
}

/** The payment rails, by the `kind` of their payments. */
export const paymentRails: { readonly [Kind in RailKind]: ServiceRail } = {
  evm: evmPayments,
  solana: solanaPayments,
}

/** The rail of a network (CAIP-2). */
export function findRail(network: string): ServiceRail {
  return paymentRails[findRailKind(network)]
}

/**
 * Reads the payee of each rail. Throws the error of `rejected` for a value that is not an address.
 */
export function readPayees(
  given: (rail: ServiceRail) => string | undefined,
  rejected: (rail: ServiceRail, found: string) => Error,
): PayeeOptions {
  const read = (rail: ServiceRail): [string, string][] => {
    const found = given(rail)
    if (found === undefined) return []
    if (!rail.isPayee(found)) throw rejected(rail, found)
    return [[rail.option, found]]
  }
  return Object.fromEntries(Object.values(paymentRails).flatMap(read))
}

/** A network with its payee. */
export type PaymentRoute = {
  /** CAIP-2. */
  readonly network: string
  readonly payTo: string
  /** On Solana: `feePayer`, and `recentBlockhash` if it is known. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** How long after an offer its payment can be settled, in seconds. Work precedes its settlement. */
const timeouts = { exact: 300, upto: 900 } as const

/** Offers to pay `amount` (micro-USD), or at most that, on each route. */
export function listOffers(
  amount: bigint,
  routes: readonly PaymentRoute[],
  scheme: VerifiedPayment['scheme'] = 'exact',
): readonly PaymentRequirements[] {
  return routes.map(({ network, payTo, extra: more }) => {
    const asset = findUsdcToken(network)?.asset
    if (asset === undefined) throw new Error(`Payments: no USDC is known on ${network}`)
    const extra = { ...findRail(network).offerExtra(network), ...more }
    return {
      scheme,
      network,
      amount: String(amount),
      asset,
      payTo,
      maxTimeoutSeconds: timeouts[scheme],
      extra,
    }
  })
}

/** Offers in version 1 of x402. Each keeps its `amount`, the name of version 2. */
export function toOffersV1(
  offers: readonly PaymentRequirements[],
  { url, ...resource }: Bought['resource'],
) {
  return offers.map((offer) => {
    const { network, amount } = offer
    return {
      ...offer,
      network: toNetworkV1(network),
      maxAmountRequired: amount,
      resource: url,
      ...resource,
    }
  })
}

/** The name of a network in version 1 of x402. */
export function toNetworkV1(network: string): string {
  return findUsdcToken(network)?.networkV1 ?? network
}
