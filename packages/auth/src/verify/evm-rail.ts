import { isRecord } from '@farebox/middleware'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { checksumAddress } from '../evm/address.js'
import { hashTypedData, hasHighS, recoverAddress, type TypedData } from '../evm/signature.js'
import {
  type TransferAuthorization,
  transferTypedData,
  type UsdcContract,
  usdcContracts,
} from '../evm/usdc.js'
import {
  checkAmount,
  type Fields,
  createPayloadError,
  readOwnField,
  type PaymentTerms,
  type Rail,
  readStringField,
  type EvmPayload,
  type VerifiedEvmPayment,
  type VerifyPaymentOptions,
} from './rail.js'
import {
  PaymentVerificationError,
  createVerificationError,
  type PaymentVerificationCode,
} from './errors.js'

/** USDC by an EIP-3009 authorization. */
export const evmRail: Rail<UsdcContract, EvmPayload> = {
  scheme: 'exact',
  networks: /^(?:eip155:|base(?:$|-))/,
  tokens: usdcContracts,
  isSame: (left, right) => left.toLowerCase() === right.toLowerCase(),
  terms: ['name', 'version'],
  otherPayee: 'invalid_exact_evm_payload_recipient_mismatch',
  read: (payload) => {
    const authorization = readAuthorization(readOwnField(payload, 'authorization'))
    return { signature: readStringField(payload, 'signature'), authorization }
  },
  verify,
}

/**
 * Settlement takes time: the reference verifier rejects an authorization that ends sooner.
 */
const marginSeconds = 6n

/** Verifies an EIP-3009 authorization against the offer: payee, amount, times, signature. */
async function verify(
  payload: EvmPayload,
  terms: PaymentTerms<UsdcContract>,
  options: VerifyPaymentOptions,
): Promise<VerifiedEvmPayment> {
  const { offer, token, shape } = terms
  const { authorization } = payload
  if (!evmRail.isSame(authorization.to, offer.payTo)) {
    throw createVerificationError(
      evmRail.otherPayee,
      'it pays an address other than the one in the offer',
    )
  }
  const amount = checkAmount(
    authorization.value,
    terms,
    options,
    'invalid_exact_evm_payload_authorization_value_mismatch',
  )
  checkTimes(authorization, options.now, {
    early: 'invalid_exact_evm_payload_authorization_valid_after',
    late: 'invalid_exact_evm_payload_authorization_valid_before',
  })
  const payer = checksumAddress(authorization.from, keccak_256)
  await checkSignature(payer, payload.signature, transferTypedData(token, authorization), {
    ...options,
    code: 'invalid_exact_evm_payload_signature',
  })
  return {
    kind: 'evm',
    scheme: 'exact',
    payer,
    nonce: authorization.nonce.toLowerCase(),
    amount,
    network: token.network,
    asset: token.asset,
    payTo: offer.payTo,
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    shape,
    payload,
    ...payload,
  }
}

type Times = Pick<TransferAuthorization, 'validAfter' | 'validBefore'>

/** Checks the lifetime of an authorization. The codes are those of its scheme. */
export function checkTimes(
  { validAfter, validBefore }: Times,
  now: () => number = Date.now,
  { early, late }: Readonly<Record<'early' | 'late', PaymentVerificationCode>>,
): void {
  const time = now()
  if (!Number.isFinite(time))
    throw createVerificationError('unexpected_verify_error', `the time of this server is ${time}`)
  const seconds = BigInt(Math.floor(time / 1000))
  if (BigInt(validAfter) > seconds)
    throw createVerificationError(early, `it is valid after ${validAfter}, and now is ${seconds}`)
  if (BigInt(validBefore) < seconds + marginSeconds)
    throw createVerificationError(late, `it is valid before ${validBefore}, and now is ${seconds}`)
}

/** Checks the signature of a key, or of a smart wallet by `verifyContract`. */
export async function checkSignature(
  payer: string,
  signature: string,
  typedData: TypedData,
  {
    verifyContract,
    code,
  }: Pick<VerifyPaymentOptions, 'verifyContract'> & { readonly code: PaymentVerificationCode },
): Promise<void> {
  const hash = hashTypedData(typedData)
  if (recoverAddress(hash, signature) === payer) return
  if (verifyContract && /^0x(?:[0-9a-fA-F]{2})+$/.test(signature) && !hasHighS(signature)) {
    try {
      // injected code: only `true` itself counts as valid
      const isAccepted: unknown = await verifyContract(
        payer,
        `0x${bytesToHex(hash)}`,
        signature,
        Number(typedData.domain['chainId']),
      )
      if (isAccepted === true) return
    } catch (cause) {
      throw new PaymentVerificationError(
        'unexpected_verify_error',
        'Payment: the contract check failed',
        { cause },
      )
    }
  }
  throw createVerificationError(code, 'the signature is not that of "from" over the authorization')
}

function readAuthorization(value: unknown): TransferAuthorization {
  if (!isRecord(value)) throw createPayloadError('"authorization" is not an object')
  return {
    from: readAddressField(value, 'from'),
    to: readAddressField(value, 'to'),
    value: readUint256Field(value, 'value'),
    validAfter: readUint256Field(value, 'validAfter'),
    validBefore: readUint256Field(value, 'validBefore'),
    nonce: readMatchingField(value, 'nonce', /^0x[0-9a-fA-F]{64}$/, '0x and 64 hex digits'),
  }
}

export function readAddressField(object: Fields, name: string): string {
  return readMatchingField(object, name, /^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits')
}

export function readUint256Field(object: Fields, name: string): string {
  const form = 'a whole number in decimal digits, without zeros before it'
  const digits = readMatchingField(object, name, /^(?:0|[1-9]\d{0,77})$/, form)
  if (BigInt(digits) >= 2n ** 256n)
    throw createPayloadError(`"${name}" does not fit into a uint256`)
  return digits
}

function readMatchingField(object: Fields, name: string, pattern: RegExp, form: string): string {
  const value = readStringField(object, name)
  if (!pattern.test(value)) throw createPayloadError(`"${name}" is not ${form}`)
  return value
}
