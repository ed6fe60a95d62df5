/** The input of an operation cannot be sent. The request was not sent. */
export class InvalidInputError extends TypeError {
  override readonly name = 'InvalidInputError'
}
