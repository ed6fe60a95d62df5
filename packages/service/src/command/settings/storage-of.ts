import type { Settings } from './settings.js'

/** Where the database is, as the functions that open it take it. */
export function storageOf({ data, databaseUrl, keyPepper, keyPepperOld, auditAnchor }: Settings) {
  return {
    ...(databaseUrl === undefined ? { data } : { databaseUrl }),
    ...(keyPepper !== undefined && { keyPepper }),
    ...(keyPepperOld !== undefined && { keyPepperOld }),
    ...(auditAnchor !== undefined && { auditAnchor }),
  }
}
