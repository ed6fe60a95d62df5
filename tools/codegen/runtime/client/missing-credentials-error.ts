/**
 * An operation needs credentials that the client was not given. The request was not sent.
 */
export class MissingCredentialsError extends Error {
  override readonly name = 'MissingCredentialsError'

  /** The operation's id. */
  declare readonly operation: string
  /** Any one of these sets of security schemes is enough. */
  declare readonly schemes: readonly (readonly string[])[]

  constructor(operation: string, schemes: readonly (readonly string[])[]) {
    const sets = schemes.map((set) => set.map((name) => JSON.stringify(name)).join(' and '))
    super(
      `${operation}: its credentials are missing. Give the client's credentials ${sets.join(', or ')}.`,
    )
    Object.assign(this, { operation, schemes })
  }
}
