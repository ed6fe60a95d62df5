import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { checksumAddress } from '../evm/checksum-address.js'
import { hashTypedData } from '../evm/hash-typed-data.js'
import { hasHighS, recoverAddress } from '../evm/recover-address.js'
import type { PaymentRequirements } from '../payment-requirements.js'
import { transferTypedData, type TransferAuthorization } from '../transfer-typed-data.js'
import type { UsdcContract } from '../usdc.js'
import { checkAmount } from './check-amount.js'
import { sameAddress } from './match-offer.js'
import { PaymentVerificationError, refusedPayment } from './payment-verification-error.js'
import type { EvmPayload } from './read-payment-payload.js'
import type { VerifiedEvmPayment, VerifyPaymentOptions } from './verified-payment.js'

/**
 * Settlement takes time: the reference verifier refuses an authorization that ends sooner.
 */
const marginSeconds = 6n

/** Verifies an EIP-3009 authorization against the offer: payee, amount, times, signature. */
export async function verifyEvmPayment(
  payment: EvmPayload,
  offer: PaymentRequirements,
  contract: UsdcContract,
  options: VerifyPaymentOptions,
): Promise<VerifiedEvmPayment> {
  const { authorization } = payment
  if (!sameAddress(payment, authorization.to, offer.payTo)) {
    throw refusedPayment('invalid_exact_evm_payload_recipient_mismatch', 'it pays another address than the offer names')
  }
  const amount = checkAmount(payment, authorization.value, offer, options)
  checkTimes(authorization, options.now ?? Date.now)
  const payer = checksumAddress(authorization.from, keccak_256)
  await checkSignature(payer, payment, contract, options)
  return {
    kind: 'evm',
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

function checkTimes({ validAfter, validBefore }: TransferAuthorization, now: () => number): void {
  const time = now()
  if (!Number.isFinite(time)) throw refusedPayment('unexpected_verify_error', `this server's clock says ${time}`)
  const seconds = BigInt(Math.floor(time / 1000))
  if (BigInt(validAfter) > seconds) {
    throw refusedPayment('invalid_exact_evm_payload_authorization_valid_after', `it is valid after ${validAfter}, and now is ${seconds}`)
  }
  if (BigInt(validBefore) < seconds + marginSeconds) {
    throw refusedPayment('invalid_exact_evm_payload_authorization_valid_before', `it is valid before ${validBefore}, and now is ${seconds}`)
  }
}

async function checkSignature(payer: string, payment: EvmPayload, contract: UsdcContract, { verifyContract }: VerifyPaymentOptions) {
  const { authorization, signature } = payment
  const hash = hashTypedData(transferTypedData(contract, authorization))
  if (recoverAddress(hash, signature) === payer) return
  if (verifyContract && /^0x(?:[0-9a-fA-F]{2})+$/.test(signature) && !hasHighS(signature)) {
    try {
      // injected code: only `true` itself counts as valid
      const answer: unknown = await verifyContract(payer, `0x${bytesToHex(hash)}`, signature, contract.chainId)
      if (answer === true) return
    } catch (cause) {
      throw new PaymentVerificationError('unexpected_verify_error', 'Payment: the contract check did not answer', { cause })
    }
  }
  throw refusedPayment('invalid_exact_evm_payload_signature', 'the signature is not that of "from" over the authorization')
}
