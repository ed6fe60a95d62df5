import { cleanCause } from '../clean-cause.js'

/** Why a sign-in was refused. The list is closed. */
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

/** A refused sign-in. The message names the fault and the expected value, never a signature. */
export class SiwxError extends Error {
  override readonly name = 'SiwxError'
  readonly code: SiwxErrorCode

  constructor(code: SiwxErrorCode, message: string, options?: ErrorOptions) {
    super(message, cleanCause(options))
    this.code = code
  }
}
