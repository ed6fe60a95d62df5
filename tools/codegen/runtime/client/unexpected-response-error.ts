export type UnexpectedResponseReason =
  /** The contract does not declare this status for the operation. */
  | 'undeclared_status'
  /** The contract declares other media types for this status. */
  | 'content_type'
  /** The body is no JSON, or JSON that was cut off. */
  | 'malformed_json'
  /** There should be a body and there is none. */
  | 'empty_body'
  /** The body ended before its end, or its length is not the one that its header gave. */
  | 'incomplete_body'
  /** The body is larger than the client takes. */
  | 'too_large'

/** An answer that the contract does not declare. It never stands for a value: what the service did is unknown from it. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError'

  /** The operation's id. */
  declare readonly operation: string
  declare readonly reason: UnexpectedResponseReason
  /** Its body has been read or cancelled. */
  declare readonly response: Response
  /** The first 512 characters of the body, when it was text; nothing of JSON that came with a success, as it may hold a key. */
  declare readonly excerpt: string

  constructor(
    operation: string,
    reason: UnexpectedResponseReason,
    response: Response,
    excerpt: string,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${operation}: ${detail}`, options)
    Object.assign(this, { operation, reason, response, excerpt })
  }

  get status(): number {
    return this.response.status
  }
}
