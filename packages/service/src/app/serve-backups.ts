import { readDatabase } from '../domain/backup/read-database.js'
import type { AppOptions } from '../http/app.js'
import type { Database } from '../platform/database/database.js'
import { serveFolder } from '../platform/database/folder-socket.js'

/**
 * Lets `farebox-service backup` read the embedded database of a running service. A folder that can
 * have no socket is reported, and the service goes on.
 */
export async function serveBackups(folder: string, database: Database, onError: AppOptions['onError']) {
  const report = (error: unknown) => onError(error, { requestId: 'backup' })
  try {
    return await serveFolder(folder, () => readDatabase(database), report)
  } catch (error) {
    report(error)
    return { close: async () => undefined }
  }
}
