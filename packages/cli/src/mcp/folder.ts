import { constants } from 'node:fs'
import { lstat, open, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError, UsageError } from '../command.js'

/** The only folder that tools may read and write. */
export type Folder = {
  readonly path: string
  /**
   * Reads a file in it. Throws `CommandError` for a path outside, for anything but a file, and for a
   * file that is too large.
   */
  readonly read: (name: string, maxBytes: number) => Promise<Uint8Array>
  /** Creates a new file in it. Never overwrites one. */
  readonly create: (name: string) => Promise<NewFile>
}

export type NewFile = {
  readonly name: string
  readonly url: string
  readonly write: (bytes: Uint8Array) => Promise<void>
  readonly close: () => Promise<void>
  /** Deletes it again. */
  readonly remove: () => Promise<void>
}

/** Throws `UsageError` if the folder does not exist. */
export async function openFolder(folderPath: string): Promise<Folder> {
  const path = await realpath(folderPath).catch(() => undefined)
  if (path === undefined || !(await stat(path)).isDirectory())
    throw new UsageError(`--folder is ${JSON.stringify(folderPath)}; expected an existing folder.`)

  return {
    path,
    read: async (name, maxBytes) => {
      const inside = resolveInside(path, name)
      // the target of a link must be inside as well
      const real = await realpath(inside).catch(() => undefined)
      if (real === undefined)
        throw new CommandError('no_file', `There is no file ${JSON.stringify(name)} in the folder.`)
      if (!isInside(path, real)) throw createOutsideError(name)
      // does not follow a link that was created meanwhile, and does not wait for a pipe
      const file = await open(
        real,
        constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
      )
      try {
        const stats = await file.stat()
        if (!stats.isFile())
          throw new CommandError('no_file', `${JSON.stringify(name)} is not a file.`)
        if (stats.size > maxBytes)
          throw new CommandError(
            'too_large',
            `${JSON.stringify(name)} has ${stats.size} bytes; at most ${maxBytes} are allowed.`,
          )
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
    create: async (name) => {
      const inside = resolveInside(path, name)
      const parent = await realpath(dirname(inside)).catch(() => undefined)
      if (parent === undefined)
        throw new CommandError('no_folder', `There is no folder for ${JSON.stringify(name)}.`)
      if (parent !== path && !isInside(path, parent)) throw createOutsideError(name)
      const target = join(parent, basename(inside))
      if (await lstat(target).catch(() => undefined)) throw createExistsError(name)
      // exclusive: does not write to a file or a link that was created meanwhile
      const file = await open(target, 'wx').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST'
          ? createExistsError(name)
          : new CommandError(
              'not_written',
              `${JSON.stringify(name)} cannot be written (${error.code ?? error.message}).`,
            )
      })
      return {
        name: relative(path, target),
        url: pathToFileURL(target).href,
        write: (bytes) => file.writeFile(bytes),
        close: () => file.close(),
        remove: async () => {
          await file.close().catch(() => undefined)
          const { rm } = await import('node:fs/promises')
          await rm(target, { force: true })
        },
      }
    },
  }
}

function resolveInside(folder: string, name: string): string {
  if (name === '' || name.includes('\0') || isAbsolute(name)) throw createOutsideError(name)
  const path = resolve(folder, name)
  if (!isInside(folder, path)) throw createOutsideError(name)
  return path
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function createOutsideError(name: string): CommandError {
  return new CommandError(
    'outside',
    `${JSON.stringify(name)} is not in the folder. Use a name in it, such as "notes/hello.mp3".`,
  )
}

function createExistsError(name: string): CommandError {
  return new CommandError(
    'exists',
    `There is already a ${JSON.stringify(name)} in the folder, and it is not overwritten. Use another name.`,
  )
}
