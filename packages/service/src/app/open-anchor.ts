import { createAuditAnchor, type AuditAnchor } from '../domain/audit/audit-anchor.js'
import { openAppendFile } from '../platform/append-file.js'
import type { Database } from '../platform/database/database.js'
import { reasonOf, StorageError } from '../platform/database/storage-error.js'

/** The anchor in a file, as audits take it. Rejects with a StorageError for a useless file. */
export async function anchorOf(
  path: string | undefined,
  database: Database,
  now: () => number,
): Promise<{ readonly anchor?: AuditAnchor }> {
  if (path === undefined) return {}
  const file = await openAppendFile(path).catch((error: unknown) => {
    throw new StorageError(
      `--audit-anchor: ${path} cannot be written (${reasonOf(error)}). Give a file in a folder that this user can write.`,
    )
  })
  return { anchor: await createAuditAnchor(database, file, { now }) }
}
