/**
 * Why a payment was refused: the words of the x402 specification where it has one, and `invalid_asset`, `amount_too_low` and `amount_too_high` of our own.
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
  /** The injected contract check failed to answer. */
  | 'unexpected_verify_error'
  | 'amount_too_low'
  | 'amount_too_high'

/** A payment that was refused. Nothing has moved. */
export class PaymentVerificationError extends Error {
  override readonly name = 'PaymentVerificationError'
  readonly code: PaymentVerificationCode

  constructor(code: PaymentVerificationCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
