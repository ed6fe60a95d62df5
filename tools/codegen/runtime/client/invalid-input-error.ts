/** What was given to an operation cannot be sent. Nothing was. */
export class InvalidInputError extends TypeError {
  override readonly name = 'InvalidInputError'
}
