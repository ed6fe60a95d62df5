import { findUsdcContract, permit2Address, uptoProxyAddress } from '@farebox/auth'
import { SkipError } from '../check.js'
import {
  encodeObject,
  otherWallet,
  payerWallet,
  readHeader,
  type PaidEndpoint,
} from './exchange.js'

type Fields = Readonly<Record<string, unknown>>

export type PermitChanges = {
  readonly permit?: Fields
  readonly permitted?: Fields
  readonly witness?: Fields
  readonly accepted?: Fields
  readonly document?: Fields
  readonly domain?: Fields
  /** Signs with another wallet than the one that pays. */
  readonly isForged?: boolean
}

/** The offers of the scheme `upto` in USDC on EVM networks. Throws `SkipError` if there is none. */
export function requireUptoOffers({ offers }: Pick<PaidEndpoint, 'offers'>): readonly Fields[] {
  const uptoOffers = offers.filter(
    ({ scheme, network }) => scheme === 'upto' && findUsdcContract(String(network)),
  )
  if (uptoOffers.length === 0) throw new SkipError('there is no offer of the scheme upto')
  return uptoOffers
}

/** Signs a payment of the first `upto` offer with changes. Throws `SkipError` if there is none. */
export async function signPermit(
  endpoint: Pick<PaidEndpoint, 'offers' | 'discovery'>,
  { permit, permitted, witness, accepted, document, domain, isForged }: PermitChanges = {},
): Promise<string> {
  const [offer = {}] = requireUptoOffers(endpoint)
  const contract = findUsdcContract(String(offer['network']))
  const { facilitatorAddress } = Object(offer['extra']) as Fields
  const seconds = Math.floor(Date.now() / 1000) + Number(offer['maxTimeoutSeconds'])
  const message = {
    permitted: { token: contract?.asset, amount: String(offer['amount']), ...permitted },
    spender: uptoProxyAddress,
    nonce: createNonce(),
    deadline: String(seconds),
    witness: {
      to: String(offer['payTo']),
      facilitator: String(facilitatorAddress),
      validAfter: '0',
      ...witness,
    },
    ...permit,
  }
  const signature = await (isForged === true ? otherWallet : payerWallet).signTypedData({
    domain: {
      name: 'Permit2',
      chainId: contract?.chainId,
      verifyingContract: permit2Address,
      ...domain,
    },
    types: permitTypes,
    primaryType: 'PermitWitnessTransferFrom',
    message,
  })
  const required = readHeader(endpoint.discovery.headers)
  return encodeObject({
    x402Version: 2,
    resource: required?.['resource'],
    extensions: required?.['extensions'],
    accepted: { ...offer, ...accepted },
    payload: {
      signature,
      permit2Authorization: { from: payerWallet.address, ...message },
    },
    ...document,
  })
}

/** A random nonce of Permit2, which is a decimal string. */
export function createNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString()
}

const permitTypes = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  PermitWitnessTransferFrom: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'witness', type: 'Witness' },
  ],
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  Witness: [
    { name: 'to', type: 'address' },
    { name: 'facilitator', type: 'address' },
    { name: 'validAfter', type: 'uint256' },
  ],
}
