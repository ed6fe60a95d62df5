import type { Limits } from './limits.js'
import type { Archive } from './zip.js'

/** The context of all Office readers: the archive, its main part, and the limits. */
export type OfficeFile = {
  readonly archive: Archive
  readonly main: string
  readonly limits: Limits
}
