import { readErrorCode } from '../error-code.js'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { lockFolder, type FolderLock } from './lock-folder.js'
import { describeError, StorageError } from './storage-error.js'

/**
 * Creates a folder if necessary, and locks it. Rejects with a FolderLockedError or another
 * StorageError.
 */
export async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    // a database is for its user alone
    await makeFolder(resolve(folder), 0o700)
    return await lockFolder(folder)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(
      `The data folder ${folder} cannot be used: ${describeError(cause)}. Give a folder that this user may write to with --data.`,
      { cause },
    )
  }
}

/** Node's recursive mkdir never ends below /proc, which always answers ENOENT. */
async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const code = readErrorCode(error)
    if (code === 'EEXIST') {
      if ((await stat(path)).isDirectory()) return
      throw error
    }
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, { mode })
  }
}
