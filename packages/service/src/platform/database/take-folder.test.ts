import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderLockedError, takeFolder } from './lock-folder.js'
import { openPglite, unpackPrepared } from './pglite.js'
import { describeError, StorageError } from './storage-error.js'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-take-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

const catchMessage = async (path: string) => {
  const error: unknown = await takeFolder(path).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StorageError)
  return (error as Error).message
}

describe('takeFolder', () => {
  it('creates the folder with its missing parents, and accepts an existing one', async () => {
    const deep = join(folder, 'a', 'b', 'c')
    await (await takeFolder(deep)).release()
    await symlink(deep, join(folder, 'link'))
    await (await takeFolder(join(folder, 'link'))).release()
    await takeFolder(deep)
    await expect(takeFolder(deep)).rejects.toThrow(FolderLockedError)
  })

  it('names the folder, the reason that it cannot be used, and what to do', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await symlink(join(folder, 'loop'), join(folder, 'loop'))
    await symlink(join(folder, 'gone'), join(folder, 'dangling'))
    const advice = 'Give a folder that this user may write to with --data.'
    expect(await catchMessage(file)).toBe(
      `The data folder ${file} cannot be used: there is a file of that name. ${advice}`,
    )
    expect(await catchMessage(join(file, 'x', 'y'))).toContain(
      'cannot be used: a part of its path is a file.',
    )
    expect(await catchMessage(join(folder, 'loop', 'x'))).toContain(
      'cannot be used: its path is a loop of symbolic links.',
    )
    expect(await catchMessage(join(folder, 'dangling'))).toContain(
      'cannot be used: there is no such file or folder.',
    )
    expect(await catchMessage(join(folder, 'a'.repeat(300)))).toContain(
      'cannot be used: its name is too long.',
    )
    // Node's own recursive mkdir would never end there
    if (existsSync('/proc/self'))
      expect(await catchMessage('/proc/nope/x')).toContain('cannot be used: ')
  })

  it('explains that a lock cannot be read', async () => {
    await writeFile(join(folder, 'lock.7'), '{')
    expect(await catchMessage(folder)).toBe(
      `The lock ${join(folder, 'lock.7')} cannot be read. Remove it if no service uses its folder, or give another one with --data.`,
    )
  })

  it('explains missing permissions and a full disk', () => {
    const withCode = (code: string) => Object.assign(new Error(`${code}: mkdir`), { code })
    expect(describeError(withCode('EACCES'))).toBe('this user has no permission there')
    expect(describeError(withCode('ENOSPC'))).toBe('the disk is full')
    expect(describeError(withCode('EIO'))).toBe('EIO: mkdir')
  })
})

describe('openPglite', () => {
  const database = () => join(folder, 'pglite')

  it('never creates a database over unknown files', async () => {
    await mkdir(join(database(), 'base'), { recursive: true })
    await expect(openPglite(folder)).rejects.toThrow(
      'cannot be opened: its file PG_VERSION is missing. Restore the folder from a backup',
    )
  })

  it('reports a damaged database, and releases the folder', async () => {
    await unpackPrepared(database())
    await rm(join(database(), 'global'), { recursive: true })
    for (let attempt = 0; attempt < 2; attempt++) {
      const error: unknown = await openPglite(folder).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StorageError)
      expect(error).toHaveProperty(
        'message',
        expect.stringMatching(/cannot be opened: its files are damaged, or another version/),
      )
    }
  })
})
