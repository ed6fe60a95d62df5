/**
 * What was given to an operation cannot be sent. Nothing was, or not the whole of a request, and
 * another attempt would find the same. Middleware that repeats calls reads the two facts.
 */
export class InvalidInputError extends TypeError {
  override readonly name = 'InvalidInputError'
  readonly retryable = false
  readonly mayHaveArrived = false
}
