import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { lockFolder, type FolderLock } from './lock-folder.js'
import { reasonOf, StorageError } from './storage-error.js'

/**
 * Makes a folder unless it is there, and locks it. Rejects with a StorageError when it cannot be made, read or
 * written, which is a FolderLockedError while another process holds it.
 */
export async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    await makeFolder(resolve(folder))
    return await lockFolder(folder)
  } catch (cause) {
    if (cause instanceof StorageError) throw cause
    throw new StorageError(
      `The data folder ${folder} cannot be used: ${reasonOf(cause)}. Give a folder that this user may write to with --data.`,
      { cause },
    )
  }
}

/** Node's own recursive mkdir never ends below /proc, which answers ENOENT however many parents there are. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') {
      if ((await stat(path)).isDirectory()) return
      throw error
    }
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path)
  }
}
