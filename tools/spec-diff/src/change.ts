import type { Code } from './catalogue.js'
import type { Verdicts } from './verdict.js'

/**
 * Which way the changed values go. `both`: an annotation of a schema that goes either way. `none`:
 * no values are concerned.
 */
export type Direction = 'request' | 'response' | 'both' | 'none'

/**
 * Where a change is to be seen: in the newer document, or in the older one where the newer one has
 * nothing to show.
 */
export type Place = {
  readonly side: 'base' | 'head'
  readonly file: string
  readonly line: number
  readonly column: number
  readonly pointer: string
}

/** One change of the contract. */
export type Change = {
  readonly code: Code
  /** A whole sentence that stands on its own. */
  readonly sentence: string
  readonly place: Place
  readonly direction: Direction
  readonly verdicts: Verdicts
  /**
   * The operations that it concerns, by their ids in the newer document (in the older one, where
   * they are removed). Empty: the whole.
   */
  readonly operations: readonly string[]
}
