export type UnexpectedResponseReason =
  /** The contract does not declare this status for the operation. */
  | 'undeclared_status'
  /** The contract declares other media types for this status. */
  | 'content_type'
  /** The body is not JSON, or was cut off. */
  | 'malformed_json'
  /** The body is empty, and the contract declares one. */
  | 'empty_body'
  /** The body ended early, or its length differs from its Content-Length. */
  | 'incomplete_body'
  /** The body is larger than the limit of the client. */
  | 'too_large'

/** A response that the contract does not declare. The outcome of the call is unknown. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError'

  /** The operation's id. */
  declare readonly operation: string
  declare readonly reason: UnexpectedResponseReason
  declare readonly status: number
  /**
   * With `undeclared_status` and `content_type` its body can be read: what arrived of it, up to the
   * limit of the client. Otherwise its body was read or cancelled.
   */
  declare readonly response: Response
  /** The first 512 characters of a text body. Empty for JSON of a success, which may hold a key. */
  declare readonly excerpt: string

  constructor(
    { id: operation }: { readonly id: string },
    reason: UnexpectedResponseReason,
    response: Response,
    detail: string,
    text = '',
    cause?: Error,
  ) {
    const { status } = response
    const message = findMessage(text)
    super(
      `${operation}: the response ${status} ${message && `says ${JSON.stringify(message)}, and `}${detail}`,
      cause && { cause },
    )
    Object.assign(this, { operation, reason, response, excerpt: text.slice(0, 512), status })
  }
}

/** What a text body tells a person: its message, if it is the JSON of a failure. */
function findMessage(text: string): string {
  let bodyText = text
  try {
    const body = JSON.parse(text) as { readonly error?: unknown }
    const { message, detail, error, title } = { ...body, ...Object(body.error) } as Readonly<
      Record<string, unknown>
    >
    bodyText = [message, detail, error, title].find((one) => typeof one === 'string') ?? text
  } catch {}
  return bodyText.replace(/\s+/g, ' ').trim().slice(0, 200)
}
