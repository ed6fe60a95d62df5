import { describeThrown } from '../clean-cause.js'
import { mostSeconds } from '../payment/offers.js'
import { hexOf } from '../encoding.js'
import { PaymentError } from '../payment/payment-error.js'
import { objectionTo, type Objection, type PaymentRail } from '../payment/payment-rail.js'
import type { EvmPaymentSigner, TypedData } from '../signers/signer.js'
import { transferTypedData } from './usdc.js'
import { usdcOn } from './usdc.js'
import { checksumAddress, isAddress } from './checksum-address.js'

/** Milliseconds after its end in which a payment may still be settled: chain clocks differ. */
const grace = 60_000

/** Pays with USDC by an EIP-3009 authorization, which is a signature without a transaction. */
export function evmRail(signer: EvmPaymentSigner): PaymentRail {
  const payer = checksumAddress(signer.address)
  return {
    payer,
    networks: ['eip155:8453'],
    networkOf: (name) => usdcOn(name)?.network,
    objection,
    isSame,
    async sign({ network, payTo, timeoutSeconds }, { amount, now, serviceNow, random }) {
      const contract = usdcOn(network)
      if (!contract) throw new PaymentError('no_acceptable_offer', 'Payment: the network is not allowed')
      // the service's clock verifies it; our own clock bounds its lifetime
      const validBefore = Math.floor(Math.min(serviceNow / 1000 + timeoutSeconds, now / 1000 + mostSeconds))
      const authorization = {
        from: payer,
        to: checksumAddress(payTo),
        value: String(amount),
        validAfter: '0',
        validBefore: String(validBefore),
        nonce: `0x${hexOf(random(new Uint8Array(32)))}`,
      }
      const signature = await signed(signer, transferTypedData(contract, authorization))
      // either clock may be wrong, so the later end counts
      const heldUntil = Math.max(now + timeoutSeconds * 1000, validBefore * 1000) + grace
      return { nonce: authorization.nonce, payload: { signature, authorization }, heldUntil }
    },
  }
}

function objection({ network, asset, payTo, extra }: Readonly<Record<string, unknown>>): Objection | undefined {
  const contract = typeof network === 'string' ? usdcOn(network) : undefined
  if (typeof asset !== 'string' || !contract || !isSame(asset, contract.asset)) return objectionTo('the asset is not USDC')
  if (typeof payTo !== 'string' || !isAddress(payTo) || /^0x0+$/.test(payTo)) return objectionTo('the payee is not an address')
  const { name, version, chainId } = contract
  const given = Object(extra) as Readonly<Record<string, unknown>>
  const method = given['assetTransferMethod'] ?? 'eip3009'
  if (method !== 'eip3009') return objectionTo(`it is paid by ${shown(method)}, not by an EIP-3009 authorization`)
  const isOfUsdc =
    (given['name'] ?? name) === name &&
    (given['version'] ?? version) === version &&
    isOwn(given['chainId'] ?? chainId, String(chainId)) &&
    isOwn(given['verifyingContract'] ?? asset, asset)
  if (isOfUsdc) return undefined
  return { code: 'domain_mismatch', why: 'the EIP-712 domain is not that of USDC on its network' }
}

function isOwn(given: unknown, own: string): boolean {
  return (typeof given === 'string' || typeof given === 'number') && isSame(`${given}`, own)
}

/** A name that an offer gives, without what could be a secret or forge a line of a log. */
function shown(name: unknown): string {
  return typeof name === 'string' && /^[\w-]{1,20}$/.test(name) ? `"${name}"` : 'an unknown method'
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

async function signed(signer: EvmPaymentSigner, typedData: TypedData): Promise<string> {
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
