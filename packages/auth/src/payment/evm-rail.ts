import { describeThrown, PaymentError } from '../errors.js'
import { maxValiditySeconds } from './offers.js'
import { encodeHex } from '../encoding.js'
import {
  createObjection,
  quote,
  type EvmPaymentSigner,
  type Objection,
  type PaymentRail,
} from './payment-rail.js'
import type { TypedData } from '../evm/signature.js'
import { findUsdcContract, transferTypedData } from '../evm/usdc.js'
import { checksumAddress, isAddress } from '../evm/address.js'

/** How long after its end a payment may still be settled, because chain clocks differ. */
const graceMs = 60_000

/** Pays with USDC by an EIP-3009 authorization, which is a signature without a transaction. */
export function createEvmRail(signer: EvmPaymentSigner): PaymentRail {
  const payer = checksumAddress(signer.address)
  return {
    payer,
    networks: ['eip155:8453'],
    networkOf: (name) => findUsdcContract(name)?.network,
    objection: findObjection,
    isSame,
    signsNonceAgain: true,
    async sign(
      { network, payTo, timeoutSeconds },
      { amount, now, serviceNow, random, nonce = `0x${encodeHex(random(new Uint8Array(32)))}` },
    ) {
      const contract = findUsdcContract(network)
      if (!contract)
        throw new PaymentError('no_acceptable_offer', 'Payment: the network is not allowed')
      // the service's clock verifies it; our own clock bounds its lifetime
      const validBefore = Math.floor(
        Math.min(serviceNow / 1000 + timeoutSeconds, now / 1000 + maxValiditySeconds),
      )
      const authorization = {
        from: payer,
        to: checksumAddress(payTo),
        value: String(amount),
        validAfter: '0',
        validBefore: String(validBefore),
        nonce,
      }
      const signature = await signAuthorization(signer, transferTypedData(contract, authorization))
      // either clock may be wrong, so the later end counts
      const heldUntil = Math.max(now + timeoutSeconds * 1000, validBefore * 1000) + graceMs
      return { nonce, payload: { signature, authorization }, heldUntil }
    },
  }
}

function findObjection({
  network,
  asset,
  payTo,
  extra,
}: Readonly<Record<string, unknown>>): Objection | undefined {
  const contract = typeof network === 'string' ? findUsdcContract(network) : undefined
  if (typeof asset !== 'string' || !contract || !isSame(asset, contract.asset))
    return createObjection('the asset is not USDC')
  if (typeof payTo !== 'string' || !isAddress(payTo) || /^0x0+$/.test(payTo))
    return createObjection('the payee is not an address')
  const { name, version, chainId } = contract
  const domain = Object(extra) as Readonly<Record<string, unknown>>
  const method = domain['assetTransferMethod'] ?? 'eip3009'
  if (method !== 'eip3009')
    return createObjection(`it requires ${quote(method)}, not an EIP-3009 authorization`)
  const isUsdcDomain =
    (domain['name'] ?? name) === name &&
    (domain['version'] ?? version) === version &&
    isSameField(domain['chainId'] ?? chainId, String(chainId)) &&
    isSameField(domain['verifyingContract'] ?? asset, asset)
  if (isUsdcDomain) return undefined
  return { code: 'domain_mismatch', why: 'the EIP-712 domain is not that of USDC on its network' }
}

function isSameField(value: unknown, expected: string): boolean {
  return (typeof value === 'string' || typeof value === 'number') && isSame(`${value}`, expected)
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

async function signAuthorization(signer: EvmPaymentSigner, typedData: TypedData): Promise<string> {
  try {
    return await signer.signTypedData(typedData)
  } catch (cause) {
    throw new PaymentError(
      'signing_failed',
      `Payment: the wallet ${signer.address} did not sign the authorization (${describeThrown(cause)}), and nothing was sent`,
      {
        cause,
      },
    )
  }
}
