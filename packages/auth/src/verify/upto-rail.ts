import { isRecord } from '@farebox/middleware'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { checksumAddress } from '../evm/address.js'
import { permitTypedData, uptoProxyAddress, type Permit2Authorization } from '../evm/permit2.js'
import type { UsdcContract } from '../evm/usdc.js'
import { refusedPayment } from './errors.js'
import { addressField, checkSignature, checkTimes, evmRail, uint256 } from './evm-rail.js'
import {
  checkAmount,
  invalidPayload,
  ownField,
  textField,
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
    signature: textField(payload, 'signature'),
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
    throw refusedPayment(
      'invalid_permit2_spender',
      `the spender is ${spender}, expected the contract of x402, ${uptoProxyAddress}`,
    )
  }
  if (!isSame(witness.to, offer.payTo))
    throw refusedPayment(uptoRail.otherPayee, 'it pays an address other than the one in the offer')
  if (!isSame(witness.facilitator, String(offer.extra?.['facilitatorAddress']))) {
    throw refusedPayment(
      'upto_facilitator_mismatch',
      `the facilitator is ${witness.facilitator}, which the offer does not name`,
    )
  }
  if (!isSame(permitted.token, token.asset))
    throw refusedPayment('permit2_token_mismatch', 'it permits a token other than the offered one')
  const amount = checkAmount(permitted.amount, terms, options, 'permit2_amount_mismatch')
  checkTimes({ validAfter: witness.validAfter, validBefore: deadline }, options.now, {
    early: 'permit2_not_yet_valid',
    late: 'permit2_deadline_expired',
  })
  const payer = checksumAddress(from, keccak_256)
  await checkSignature(payer, signature, permitTypedData(token.chainId, permit), {
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
  const authorization = objectField(payload, 'permit2Authorization')
  const permitted = objectField(authorization, 'permitted')
  const witness = objectField(authorization, 'witness')
  return {
    from: addressField(authorization, 'from'),
    permitted: {
      token: addressField(permitted, 'token'),
      amount: uint256(permitted, 'amount'),
    },
    spender: addressField(authorization, 'spender'),
    nonce: uint256(authorization, 'nonce'),
    deadline: uint256(authorization, 'deadline'),
    witness: {
      to: addressField(witness, 'to'),
      facilitator: addressField(witness, 'facilitator'),
      validAfter: uint256(witness, 'validAfter'),
    },
  }
}

function objectField(object: Fields, name: string): Fields {
  const value = ownField(object, name)
  if (!isRecord(value)) throw invalidPayload(`"${name}" is not an object`)
  return value
}
