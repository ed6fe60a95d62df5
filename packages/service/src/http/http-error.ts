import { toFailure, type Failure } from '../contract/failures.js'

/** Ends a request with a failure, from any step before or after its handler. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(String(failure.json['error']))
    this.failure = failure
  }
}

/** The failure of an error. Undefined for an unexpected error, which is a crash. */
export function expectedFailure(error: unknown): Failure | undefined {
  return error instanceof HttpError ? error.failure : toFailure(error)
}
