/**
 * An invalid command line: exit code 2. The message names the fault, the expected form and a
 * remedy.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A command line that the program does not have, such as an unknown flag. */
export class ParseError extends UsageError {
  /** The command whose help lists what there is: `farebox video`. */
  readonly help: string

  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}

/** `--port: found "abc", expected an integer from 0 to 65535.` */
export function expected(where: string, found: string, what: string): UsageError {
  return new UsageError(`${where}: found ${JSON.stringify(found)}, expected ${what}.`)
}
