import type { Code } from './catalogue.js'
import type { Verdicts } from './verdict.js'

/**
 * The direction of the changed values. `both`: an annotation of a schema that is used in both
 * directions. `none`: the change concerns no values.
 */
export type Direction = 'request' | 'response' | 'both' | 'none'

/** The place of a change: in the newer document, or in the older one if it was removed. */
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
  /** A complete sentence. */
  readonly sentence: string
  readonly place: Place
  readonly direction: Direction
  readonly verdicts: Verdicts
  /**
   * The ids of the affected operations, in the newer document (in the older one for removed
   * operations). Empty: the whole document.
   */
  readonly operations: readonly string[]
}
