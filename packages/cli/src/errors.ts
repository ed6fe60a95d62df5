/**
 * An invalid command line: exit code 2. The message names the fault, the expected form and a
 * remedy.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** For `--json`. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
