import { cleanCause } from '../errors.js'

/** Why a sign-in was rejected. The list is closed. */
export type SiwxErrorCode =
  /** The header is not base64 of a JSON object with the fields of the interface specification. */
  | 'invalid_payload'
  /** The signed text is not a sign-in message of the stated chain. */
  | 'invalid_message'
  | 'address_mismatch'
  /** chainId, type and the message name different chains. */
  | 'chain_mismatch'
  | 'unsupported_chain'
  | 'domain_mismatch'
  | 'uri_mismatch'
  /** `timestamp` lies outside the lifetime of the message. */
  | 'timestamp_mismatch'
  | 'expired'
  | 'not_yet_valid'
  | 'invalid_signature'
  /** The injected contract check failed, or this server's clock is broken. */
  | 'verifier_failed'

/** A rejected sign-in. The message names the fault and the expected value, never a signature. */
export class SiwxError extends Error {
  override readonly name = 'SiwxError'
  readonly code: SiwxErrorCode

  constructor(code: SiwxErrorCode, message: string, options?: ErrorOptions) {
    super(message, cleanCause(options))
    this.code = code
  }
}

/**
 * Why a payment was rejected. The codes are those of the x402 specification or its reference
 * verifier; `invalid_asset`, `amount_too_low` and `amount_too_high` are our own.
 * @see https://github.com/coinbase/x402 section "Error codes"
 */
export type PaymentVerificationCode =
  | 'invalid_payload'
  | 'invalid_x402_version'
  | 'unsupported_scheme'
  | 'invalid_network'
  | 'invalid_payment_requirements'
  | 'invalid_asset'
  | 'invalid_exact_evm_payload_recipient_mismatch'
  | 'invalid_exact_evm_payload_authorization_value_mismatch'
  | 'invalid_exact_evm_payload_authorization_valid_after'
  | 'invalid_exact_evm_payload_authorization_valid_before'
  | 'invalid_exact_evm_payload_signature'
  /** Of the scheme `upto`: another contract than that of x402 could settle the permit. */
  | 'invalid_permit2_spender'
  | 'invalid_permit2_recipient_mismatch'
  /** An account other than the offered facilitator could settle the permit. */
  | 'upto_facilitator_mismatch'
  | 'permit2_deadline_expired'
  | 'permit2_not_yet_valid'
  | 'permit2_amount_mismatch'
  | 'permit2_token_mismatch'
  | 'invalid_permit2_signature'
  /** The offer has no fee payer. */
  | 'invalid_exact_svm_payload_missing_fee_payer'
  /** It is not a version 0 transaction in base64, or it uses address tables. */
  | 'invalid_exact_svm_payload_transaction_could_not_be_decoded'
  | 'invalid_exact_svm_payload_transaction_instructions_length'
  | 'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction'
  | 'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high'
  | 'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction'
  | 'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high'
  | 'invalid_exact_svm_payload_no_transfer_instruction'
  | 'invalid_exact_svm_payload_mint_mismatch'
  | 'invalid_exact_svm_payload_recipient_mismatch'
  | 'invalid_exact_svm_payload_amount_mismatch'
  | 'invalid_exact_svm_payload_unknown_optional_instruction'
  | 'invalid_exact_svm_payload_memo_count'
  | 'invalid_exact_svm_payload_memo_mismatch'
  /** An instruction touches the account that pays the fee. */
  | 'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds'
  /** The fee payer of the transaction is not that of the offer. */
  | 'invalid_exact_svm_fee_payer_mismatch'
  /** It needs signatures other than those of the payer and the fee payer. */
  | 'invalid_exact_svm_payload_excessive_signers'
  | 'invalid_exact_svm_payload_signature_invalid'
  /** The injected contract check failed. */
  | 'unexpected_verify_error'
  | 'amount_too_low'
  | 'amount_too_high'

/** A rejected payment. No money has moved. */
export class PaymentVerificationError extends Error {
  override readonly name = 'PaymentVerificationError'
  readonly code: PaymentVerificationCode

  constructor(code: PaymentVerificationCode, message: string, options?: ErrorOptions) {
    super(message, cleanCause(options))
    this.code = code
  }
}

export function createVerificationError(
  code: PaymentVerificationCode,
  what: string,
): PaymentVerificationError {
  return new PaymentVerificationError(code, `Payment: ${what}`)
}
