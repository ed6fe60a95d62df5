import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, types } from '@electric-sql/pglite'
import type { Database } from './database.js'
import { lockFolder } from './lock-folder.js'

/**
 * Opens the embedded database of a folder, which is locked until `close`: a second process would corrupt it. Without a folder the
 * database lives as long as the process. What was acknowledged survives a kill of the process; the embedded engine makes no promise about
 * a loss of power.
 */
export async function openPglite(folder?: string): Promise<Database> {
  if (folder === undefined) return fromPglite(await create())
  await mkdir(folder, { recursive: true })
  const lock = await lockFolder(folder)
  try {
    const database = fromPglite(await create(join(folder, 'pglite')))
    return {
      ...database,
      close: async () => {
        await database.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

function create(dataDir?: string): Promise<PGlite> {
  return PGlite.create({ ...(dataDir !== undefined && { dataDir }), parsers: { [types.INT8]: (text: string) => BigInt(text) } })
}

function fromPglite(db: PGlite): Database {
  return {
    query: async <R>(sql: string, params: readonly unknown[] = []) => (await db.query<R>(sql, [...params])).rows,
    transaction: (statements) =>
      db.transaction(async (transaction) => {
        for (const { sql, params = [] } of statements) await transaction.query(sql, [...params])
      }),
    close: () => db.close(),
  }
}
