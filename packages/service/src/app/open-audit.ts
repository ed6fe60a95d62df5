import { createAuditAnchor } from '../domain/audit/audit-anchor.js'
import { createLedgerAudit, type LedgerAudit } from '../domain/audit/ledger-audit.js'
import type { Database } from '../platform/database/database.js'
import { describeError, StorageError } from '../platform/database/storage-error.js'
import { openAppendFile } from '../platform/line-file.js'

/**
 * The audit of the ledger, with an anchor in a file if there is a path. Rejects with a StorageError
 * for a useless file.
 */
export async function openAudit(
  database: Database,
  now: () => number,
  anchorPath: string | undefined,
): Promise<LedgerAudit> {
  if (anchorPath === undefined) return createLedgerAudit(database, { now })
  const file = await openAppendFile(anchorPath).catch((error: unknown) => {
    throw new StorageError(
      `--audit-anchor: ${anchorPath} cannot be written (${describeError(error)}). Give a file in a folder that this user can write.`,
    )
  })
  return createLedgerAudit(database, {
    now,
    anchor: await createAuditAnchor(database, file, { now }),
  })
}
