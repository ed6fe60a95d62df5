import { UsageError } from '@farebox/command-line'

/** One fault of a configuration file. */
export type ConfigFault = {
  /** From 1. Without it, the file as a whole is at fault. */
  readonly line?: number
  /** A JSON pointer (RFC 6901). Empty for the whole file. */
  readonly pointer: string
  /** What was found and what was expected, as one sentence without secrets. */
  readonly message: string
}

/** A configuration file that cannot be used. The message has a line for each fault. */
export class ConfigError extends UsageError {
  readonly file: string
  readonly faults: readonly ConfigFault[]

  constructor(file: string, faults: readonly ConfigFault[]) {
    super(
      faults
        .map(
          ({ line, pointer, message }) =>
            `${file}:${line === undefined ? '' : `${line}:`}${pointer === '' ? '' : ` ${pointer}:`} ${message}`,
        )
        .join('\n'),
    )
    this.file = file
    this.faults = faults
  }
}
