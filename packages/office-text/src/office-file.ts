import type { Limits } from './limits.js'
import type { Archive } from './zip.js'

/**
 * What the readers of Office documents share: the archive, the path of its main part, and the
 * limits.
 */
export type OfficeFile = { readonly archive: Archive; readonly main: string; readonly limits: Limits }
