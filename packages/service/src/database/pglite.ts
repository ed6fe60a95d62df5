import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, types, type PGliteOptions } from '@electric-sql/pglite'
import type { Database } from './database.js'
import { lockFolder } from './lock-folder.js'
import { preparedTar, unpackPrepared } from './prepared.js'

/**
 * Opens the embedded database of a folder, which is locked until `close`: a second process would corrupt it. Without a folder the
 * database lives as long as the process. What was acknowledged survives a kill of the process; the embedded engine makes no promise about
 * a loss of power.
 */
export async function openPglite(folder?: string): Promise<Database> {
  if (folder === undefined) return fromPglite(await create({ ...loaded(await preparedTar()) }))
  await mkdir(folder, { recursive: true })
  const lock = await lockFolder(folder)
  try {
    const dataDir = join(folder, 'pglite')
    await unpackPrepared(dataDir)
    const database = fromPglite(await create({ dataDir }))
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

function create(options: PGliteOptions): Promise<PGlite> {
  return PGlite.create({ ...options, parsers: { [types.INT8]: (text: string) => BigInt(text) } })
}

function loaded(tar: Uint8Array<ArrayBuffer> | undefined): PGliteOptions {
  return tar ? { loadDataDir: new Blob([tar], { type: 'application/x-tar' }) } : {}
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
