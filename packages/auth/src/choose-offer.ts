import { isRecord } from './decode-json-header.js'
import { isAddress } from './evm/checksum-address.js'
import { PaymentError } from './payment-error.js'
import type { Offers } from './read-offers.js'
import { usdcOn, type UsdcContract } from './usdc.js'

/** An offer that may be paid: every field was checked that the signature depends on. */
export type Offer = {
  /** As the service sent it. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly contract: UsdcContract
  readonly payTo: string
  /** Atomic units. */
  readonly amount: bigint
  readonly timeoutSeconds: number
}

export type OfferRules = {
  /** CAIP-2 names. */
  readonly networks: readonly string[]
  /** Payees; without the list any. */
  readonly payTo?: readonly string[] | undefined
}

/** The first offer that the rules allow: scheme exact, an allowed network, the known USDC contract of that network and an allowed payee. */
export function chooseOffer({ version, accepts }: Offers, rules: OfferRules): Offer {
  const judged = accepts.map((entry) => judge(entry, version, rules))
  const offer = judged.find((one) => typeof one !== 'string')
  if (offer) return offer
  const why = [...new Set(judged.filter((one) => typeof one === 'string'))].join('; ')
  const code = judged.every((one) => one === wrongDomain) ? 'domain_mismatch' : 'no_acceptable_offer'
  throw new PaymentError(
    code,
    `Payment: none of the ${accepts.length} offers may be paid (${why}); allowed networks: ${rules.networks.join(', ')}`,
  )
}

const wrongDomain = 'the EIP-712 name or version is not that of USDC on its network'

/** The longest time that a signature of ours stays good, in seconds. */
const mostSeconds = 3600

function judge(entry: Readonly<Record<string, unknown>>, version: 1 | 2, { networks, payTo: payees }: OfferRules): Offer | string {
  const { scheme, network, asset, payTo, maxTimeoutSeconds, extra } = entry
  const amount = entry[version === 2 ? 'amount' : 'maxAmountRequired']
  const contract = typeof network === 'string' ? usdcOn(network) : undefined
  if (scheme !== 'exact') return 'the scheme is not "exact"'
  if (!contract || !networks.includes(contract.network)) return 'the network is not allowed'
  if (!same(asset, contract.asset)) return 'the asset is not USDC'
  if (typeof payTo !== 'string' || !isAddress(payTo) || /^0x0+$/.test(payTo)) return 'the payee is not an address'
  if (payees && !payees.some((payee) => same(payTo, payee))) return 'the payee is not allowed'
  if (typeof amount !== 'string' || !/^[1-9]\d{0,29}$/.test(amount)) return 'the amount is not a number of atomic units'
  const named: Readonly<Record<string, unknown>> = isRecord(extra) ? extra : {}
  if ((named['name'] ?? contract.name) !== contract.name || (named['version'] ?? contract.version) !== contract.version) return wrongDomain
  const timeout = typeof maxTimeoutSeconds === 'number' && maxTimeoutSeconds >= 1 ? maxTimeoutSeconds : 300
  return { entry, contract, payTo, amount: BigInt(amount), timeoutSeconds: Math.floor(Math.min(timeout, mostSeconds)) }
}

function same(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
}
