/** A command line that cannot be followed: exit code 2. The message says what was found, what was expected and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What was asked for did not happen: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** For `--json`. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
