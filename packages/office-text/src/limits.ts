import { ExtractTextError } from './findings.js'

/** How far a file may expand before it is rejected as `too_complex`. `Infinity` removes a limit. */
export type Limits = {
  /** Entries in an archive. Default 10,000. */
  readonly entries: number
  /** Bytes that the parts of an archive inflate to, all together. Default 200 MiB. */
  readonly inflatedBytes: number
  /**
   * Inflated bytes for each deflated byte of one part. Default 250: deflate ends at 1,032, and the
   * densest honest parts, sheets of repeated rows, stay below 100.
   */
  readonly ratio: number
  /** Inflated bytes of one part before `ratio` counts. Default 10 MiB. */
  readonly ratioGraceBytes: number
  /** Elements inside one another in one XML part. Default 256. */
  readonly depth: number
  /** Characters of the text, in UTF-16 code units as `length` counts them. Default 32 Mi. */
  readonly characters: number
}

/** The default limits. */
export const defaultLimits: Limits = {
  entries: 10_000,
  inflatedBytes: 200 * 1024 * 1024,
  ratio: 250,
  ratioGraceBytes: 10 * 1024 * 1024,
  depth: 256,
  characters: 32 * 1024 * 1024,
}

/**
 * Fills in the defaults. Throws a RangeError for a limit that is negative or not a number, because
 * a comparison with NaN would let every file pass.
 */
export function withDefaults(limits: Partial<Limits>): Limits {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined)
  for (const [name, value] of entries) {
    if (!Object.hasOwn(defaultLimits, name)) {
      throw new RangeError(
        `extractText: ${name} is not a limit. Expected one of ${Object.keys(defaultLimits).join(', ')}.`,
      )
    }
    if (typeof value !== 'number' || !(value >= 0)) {
      throw new RangeError(
        `extractText: the limit ${name} is ${String(value)}. Expected a number of at least 0.`,
      )
    }
  }
  return { ...defaultLimits, ...Object.fromEntries(entries) }
}

/**
 * A budget that is spent while a file is read. `spend` throws `too_complex` when it is exhausted.
 */
export type Budget = { spend(amount: number): void }

/** A budget of `total`. `what` names the unit in the message. */
export function createBudget(total: number, what: string): Budget {
  let left = total
  return {
    spend(amount) {
      left -= amount
      if (left < 0) {
        throw new ExtractTextError(
          'too_complex',
          `The file expands to more than ${total} ${what}, which is the limit. Send a smaller part of it.`,
        )
      }
    },
  }
}

/** The budget of characters of text. */
export function createCharacterBudget({ characters }: Limits): Budget {
  return createBudget(characters, 'characters of text')
}
