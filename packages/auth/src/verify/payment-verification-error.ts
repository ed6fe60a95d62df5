import { cleanCause } from '../clean-cause.js'

/**
 * Why a payment was refused. The codes are those of the x402 specification or its reference
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

/** A refused payment. No money has moved. */
export class PaymentVerificationError extends Error {
  override readonly name = 'PaymentVerificationError'
  readonly code: PaymentVerificationCode

  constructor(code: PaymentVerificationCode, message: string, options?: ErrorOptions) {
    super(message, cleanCause(options))
    this.code = code
  }
}

export function refusedPayment(
  code: PaymentVerificationCode,
  what: string,
): PaymentVerificationError {
  return new PaymentVerificationError(code, `Payment: ${what}`)
}
