export { UsageError } from '@farebox/command-line'

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
