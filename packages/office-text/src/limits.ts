import { ExtractTextError } from './extract-text-error.js'

/** How far a file may expand before it is refused as `too_complex`. */
export type Limits = {
  /** Entries in an archive. */
  readonly entries: number
  /** Bytes of one file after inflation, over all the parts that are read. */
  readonly inflatedBytes: number
  /** Inflated bytes for each deflated byte of one part; looked at once `ratioGraceBytes` of the part have come out. */
  readonly ratio: number
  readonly ratioGraceBytes: number
  /** Elements inside one another in one XML part. */
  readonly depth: number
  /** Characters of the extracted text. */
  readonly characters: number
}

/**
 * Deflate ends at 1032 to 1; sheets of repeated rows, the densest honest parts seen, stay below 100 to 1.
 * A plain text of 25 MB is below the limit on characters.
 */
export const defaultLimits: Limits = {
  entries: 10_000,
  inflatedBytes: 200 * 1024 * 1024,
  ratio: 250,
  ratioGraceBytes: 10 * 1024 * 1024,
  depth: 256,
  characters: 32 * 1024 * 1024,
}

/** Counts something down while a file is read; throws `too_complex` when none is left. */
export type Budget = { spend(amount: number): void }

/** A budget of `total`; `what` names the unit in the message. */
export function createBudget(total: number, what: string): Budget {
  let left = total
  return {
    spend(amount) {
      left -= amount
      if (left < 0) {
        throw new ExtractTextError(
          'too_complex',
          `The file expands to more than ${total} ${what}, the most that is read. Send a smaller part of it.`,
        )
      }
    },
  }
}

/** The budget of the characters that a reader may give. */
export function characterBudget({ characters }: Limits): Budget {
  return createBudget(characters, 'characters of text')
}
