import { isRecord } from '@farebox/middleware'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { checksumAddress } from '../evm/address.js'
import {
  createPermitTypedData,
  uptoProxyAddress,
  type Permit2Authorization,
} from '../evm/permit2.js'
import type { UsdcContract } from '../evm/usdc.js'
import { createVerificationError } from './errors.js'
import {
  readAddressField,
  checkSignature,
  checkTimes,
  evmRail,
  readUint256Field,
} from './evm-rail.js'
import {
  checkAmount,
  createPayloadError,
  readOwnField,
  readStringField,
  type Fields,
  type PaymentTerms,
  type Rail,
  type UptoPayload,
  type VerifiedUptoPayment,
  type VerifyPaymentOptions,
} from './rail.js'

/** At most an amount of USDC, by a Permit2 authorization with the witness of `upto`. */
export const uptoRail: Rail<UsdcContract, UptoPayload> & { readonly scheme: 'upto' } = {
  ...evmRail,
  scheme: 'upto',
  terms: [...evmRail.terms, 'assetTransferMethod', 'facilitatorAddress'],
  otherPayee: 'invalid_permit2_recipient_mismatch',
  read: (payload) => ({
    signature: readStringField(payload, 'signature'),
    permit2Authorization: readAuthorization(payload),
  }),
  verify,
}

/** Verifies a permit against the offer: spender, payee, facilitator, token, amount, times, signature. */
async function verify(
  payload: UptoPayload,
  terms: PaymentTerms<UsdcContract>,
  options: VerifyPaymentOptions,
): Promise<VerifiedUptoPayment> {
  const { offer, token, shape } = terms
  const { permit2Authorization: permit, signature } = payload
  const { from, permitted, spender, deadline, witness } = permit
  const { isSame } = evmRail
  if (!isSame(spender, uptoProxyAddress)) {
    throw createVerificationError(
      'invalid_permit2_spender',
      `the spender is ${spender}, expected the contract of x402, ${uptoProxyAddress}`,
    )
  }
  if (!isSame(witness.to, offer.payTo))
    throw createVerificationError(
      uptoRail.otherPayee,
      'it pays an address other than the one in the offer',
    )
  if (!isSame(witness.facilitator, String(offer.extra?.['facilitatorAddress']))) {
    throw createVerificationError(
      'upto_facilitator_mismatch',
      `the facilitator is ${witness.facilitator}, which the offer does not name`,
    )
  }
  if (!isSame(permitted.token, token.asset))
    throw createVerificationError(
      'permit2_token_mismatch',
      'it permits a token other than the offered one',
    )
  const amount = checkAmount(permitted.amount, terms, options, 'permit2_amount_mismatch')
  checkTimes({ validAfter: witness.validAfter, validBefore: deadline }, options.now, {
    early: 'permit2_not_yet_valid',
    late: 'permit2_deadline_expired',
  })
  const payer = checksumAddress(from, keccak_256)
  await checkSignature(payer, signature, createPermitTypedData(token.chainId, permit), {
    ...options,
    code: 'invalid_permit2_signature',
  })
  return {
    kind: 'evm',
    scheme: 'upto',
    payer,
    nonce: `0x${BigInt(permit.nonce).toString(16).padStart(64, '0')}`,
    amount,
    network: token.network,
    asset: token.asset,
    payTo: offer.payTo,
    facilitator: checksumAddress(witness.facilitator, keccak_256),
    validAfter: BigInt(witness.validAfter),
    validBefore: BigInt(deadline),
    shape,
    payload,
    ...payload,
  }
}

function readAuthorization(payload: Fields): Permit2Authorization {
  const authorization = readObjectField(payload, 'permit2Authorization')
  const permitted = readObjectField(authorization, 'permitted')
  const witness = readObjectField(authorization, 'witness')
  return {
    from: readAddressField(authorization, 'from'),
    permitted: {
      token: readAddressField(permitted, 'token'),
      amount: readUint256Field(permitted, 'amount'),
    },
    spender: readAddressField(authorization, 'spender'),
    nonce: readUint256Field(authorization, 'nonce'),
    deadline: readUint256Field(authorization, 'deadline'),
    witness: {
      to: readAddressField(witness, 'to'),
      facilitator: readAddressField(witness, 'facilitator'),
      validAfter: readUint256Field(witness, 'validAfter'),
    },
  }
}

function readObjectField(object: Fields, name: string): Fields {
  const value = readOwnField(object, name)
  if (!isRecord(value)) throw createPayloadError(`"${name}" is not an object`)
  return value
}
