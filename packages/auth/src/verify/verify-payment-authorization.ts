import { bytesToHex } from '@noble/hashes/utils.js'
import { checksumAddress } from '../evm/checksum-address.js'
import { hashTypedData } from '../evm/hash-typed-data.js'
import { hasHighS, recoverAddress } from '../evm/recover-address.js'
import type { PaymentRequirements } from '../payment-requirements.js'
import { transferTypedData, type TransferAuthorization } from '../transfer-typed-data.js'
import { usdcOn, type UsdcContract } from '../usdc.js'
import { PaymentVerificationError, type PaymentVerificationCode } from './payment-verification-error.js'
import { readPaymentPayload, type PaymentPayload } from './read-payment-payload.js'

export type VerifyPaymentOptions = {
  /**
   * Smallest and largest amount in atomic units. With either, the client may have raised or lowered the offer's amount within the range
   * (in version 2 it must sign what its `accepted.amount` says); with neither, the amount is the offer's exactly.
   */
  readonly minAmount?: bigint
  readonly maxAmount?: bigint
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Asks the chain whether a smart wallet takes the signature. Called only when the signature is not the payer's own. */
  readonly verifyContract?: (address: string, hash: string, signature: string, chainId: number) => Promise<boolean>
}

export type VerifiedPayment = {
  /** The wallet that pays, in EIP-55 form. */
  readonly payer: string
  /** 0x and 64 hex digits in lower case. With `payer`, `network` and `asset` it is the key under which to credit once. */
  readonly nonce: string
  /** Atomic units. */
  readonly amount: bigint
  /** CAIP-2, whatever the client wrote. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  /** Unix seconds. */
  readonly validAfter: bigint
  /** Unix seconds. After this moment the authorization can no longer be settled. */
  readonly validBefore: bigint
  readonly shape: 'v2' | 'v1'
  readonly authorization: TransferAuthorization
  readonly signature: string
}

/** A transaction needs time to land: the reference verifier refuses an authorization that ends sooner. */
const marginSeconds = 6n

/**
 * Verifies an x402 payment of scheme "exact" with USDC on an EVM network against the offers that the server made: envelope, scheme,
 * network, asset, payee, amount, times and signature. `payload` is the decoded header. Does not touch a chain: balance and used nonces
 * are for the settlement. Every refusal is a PaymentVerificationError.
 */
export async function verifyPaymentAuthorization(
  payload: unknown,
  requirements: PaymentRequirements | readonly PaymentRequirements[],
  options: VerifyPaymentOptions = {},
): Promise<VerifiedPayment> {
  const payment = readPaymentPayload(payload)
  if (payment.scheme !== 'exact') throw refused('unsupported_scheme', 'the scheme is not "exact"')
  const { offer, contract } = chooseOffer(payment, Array.isArray(requirements) ? requirements : [requirements as PaymentRequirements])
  const { authorization } = payment
  if (!sameAddress(authorization.to, offer.payTo)) {
    throw refused('invalid_exact_evm_payload_recipient_mismatch', 'it pays another address than the offer names')
  }
  const amount = checkAmount(payment, offer, options)
  checkTimes(authorization, options.now ?? Date.now)
  const payer = checksumAddress(authorization.from)
  await checkSignature(payer, payment, contract, options)
  return {
    payer,
    nonce: authorization.nonce.toLowerCase(),
    amount,
    network: contract.network,
    asset: contract.asset,
    payTo: offer.payTo,
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    shape: payment.shape,
    authorization,
    signature: payment.signature,
  }
}

/** The offer that the client took. Every field of `accepted` but the amount must be the offer's own. */
function chooseOffer({ network, accepted }: PaymentPayload, offers: readonly PaymentRequirements[]) {
  const contract = usdcOn(network)
  const onNetwork = offers.filter((offer) => contract && usdcOn(offer.network) === contract && offer.scheme === 'exact')
  if (!contract || onNetwork.length === 0) throw refused('invalid_network', 'the network is not among the offers')
  const known = onNetwork.filter((offer) => sameAddress(offer.asset, contract.asset))
  const ofAsset = known.filter((offer) => !accepted || sameAddress(accepted['asset'], offer.asset))
  if (ofAsset.length === 0) throw refused('invalid_asset', 'the asset is not the one that was offered')
  const toPayee = ofAsset.filter((offer) => !accepted || sameAddress(accepted['payTo'], offer.payTo))
  const offer = toPayee.find((one) => !accepted || sameTerms(accepted, one))
  if (toPayee.length === 0) throw refused('invalid_exact_evm_payload_recipient_mismatch', '"accepted" names another payee than the offer')
  if (!offer) throw refused('invalid_payment_requirements', '"accepted" differs from what was offered')
  return { offer, contract }
}

function sameTerms(accepted: Readonly<Record<string, unknown>>, offer: PaymentRequirements): boolean {
  const extra = (accepted['extra'] ?? {}) as Readonly<Record<string, unknown>>
  const names = ['name', 'version'] as const
  return accepted['maxTimeoutSeconds'] === offer.maxTimeoutSeconds && names.every((name) => extra[name] === offer.extra?.[name])
}

function checkAmount({ accepted, authorization }: PaymentPayload, offer: PaymentRequirements, options: VerifyPaymentOptions): bigint {
  const { minAmount, maxAmount } = options
  const amount = BigInt(authorization.value)
  const stated = accepted ? accepted['amount'] : undefined
  if (accepted && stated !== authorization.value) {
    throw refused('invalid_exact_evm_payload_authorization_value_mismatch', 'the signed value is not "accepted.amount"')
  }
  if (minAmount === undefined && maxAmount === undefined && offer.amount !== authorization.value) {
    throw refused('invalid_exact_evm_payload_authorization_value_mismatch', `the signed value is not the offered ${offer.amount}`)
  }
  if (minAmount !== undefined && amount < minAmount) throw refused('amount_too_low', `${amount} is less than ${minAmount}`)
  if (maxAmount !== undefined && amount > maxAmount) throw refused('amount_too_high', `${amount} is more than ${maxAmount}`)
  return amount
}

function checkTimes({ validAfter, validBefore }: TransferAuthorization, now: () => number): void {
  const seconds = BigInt(Math.floor(now() / 1000))
  if (BigInt(validAfter) > seconds) {
    throw refused('invalid_exact_evm_payload_authorization_valid_after', `it is valid after ${validAfter}, and now is ${seconds}`)
  }
  if (BigInt(validBefore) < seconds + marginSeconds) {
    throw refused('invalid_exact_evm_payload_authorization_valid_before', `it is valid before ${validBefore}, and now is ${seconds}`)
  }
}

async function checkSignature(payer: string, payment: PaymentPayload, contract: UsdcContract, { verifyContract }: VerifyPaymentOptions) {
  const { authorization, signature } = payment
  const hash = hashTypedData(transferTypedData(contract, authorization))
  if (recoverAddress(hash, signature) === payer) return
  if (verifyContract && /^0x(?:[0-9a-fA-F]{2})+$/.test(signature) && !hasHighS(signature)) {
    try {
      if (await verifyContract(payer, `0x${bytesToHex(hash)}`, signature, contract.chainId)) return
    } catch (cause) {
      throw new PaymentVerificationError('unexpected_verify_error', 'Payment: the contract check did not answer', { cause })
    }
  }
  throw refused('invalid_exact_evm_payload_signature', 'the signature is not that of "from" over the authorization')
}

function sameAddress(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
}

function refused(code: PaymentVerificationCode, what: string): PaymentVerificationError {
  return new PaymentVerificationError(code, `Payment: ${what}`)
}
