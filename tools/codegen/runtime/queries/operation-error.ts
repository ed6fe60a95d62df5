export type AnyFailure = {
  readonly status: number
  readonly error: unknown
  readonly response: Response
}

/** A response of a failure that the document declares. */
export class OperationError<Failure extends AnyFailure = AnyFailure> extends Error {
  override readonly name = 'OperationError'
  /** The operation's id. */
  declare readonly operation: string
  /** `status` tells what `error` is. */
  declare readonly failure: Failure

  constructor(operation: string, failure: Failure) {
    super(`${operation}: the response has status ${failure.status}.`)
    Object.assign(this, { operation, failure })
  }
}
