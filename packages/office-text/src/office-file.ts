import type { Budget, Limits } from './limits.js'
import type { Relationship } from './relationships.js'
import type { WarningCounter } from './warnings.js'
import type { Archive } from './zip.js'

/** The context of all Office readers. Embedded files share the budgets of the outer one. */
export type OfficeFile = {
  readonly archive: Archive
  /** The main part. */
  readonly main: string
  readonly limits: Limits
  readonly characters: Budget
  readonly warnings: WarningCounter
  /** The relationships of a part. The empty path names the package itself. */
  readonly links: (part: string) => readonly Relationship[]
  /** The lines of a file within this one, such as an embedded workbook or an `altChunk`. */
  readonly readEmbedded: (path: string) => readonly string[]
}
