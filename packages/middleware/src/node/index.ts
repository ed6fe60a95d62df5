import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

export type VersionOptions = {
  /** How many old versions stay. A number is free again after that many more updates. */
  readonly kept: number
  /** Every how many updates the older versions are removed. Default 1. */
  readonly removedEvery?: number
  /** The extension of a version's file name, such as `.json`. */
  readonly extension?: string
  /** Whether a completed update survives a loss of power. Default false. */
  readonly durable?: boolean
}

/**
 * Changes a text that all processes of one machine share, in one atomic update. Creates the folder
 * if it is missing, readable by its owner only.
 *
 * The text is the file `N` with the highest N. An update writes a draft and links it as N + 1,
 * which fails if another process was faster: then `change` is called again with the newer text and
 * its path. There is no lock, so a process that is killed at any point never blocks others.
 * `change` returns `undefined` to leave the text as it is. Needs a file system with hard links.
 *
 * With `removedEvery: 1`, an update that `kept` others have overtaken starts again, even if it may
 * have been written. Otherwise it may get lost.
 */
export async function updateVersions(
  folder: string,
  change: (text: string | undefined, path: string) => string | undefined,
  options: VersionOptions,
): Promise<void> {
  const { extension = '' } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (;;) {
    const number = findHighest(await readdir(folder), extension)
    const path = join(folder, `${number}${extension}`)
    const text = number === 0 ? undefined : await readText(path)
    // removed in the meantime: others were faster
    if (text === null) continue
    const next = change(text, path)
    if (next === undefined || (await addVersion(folder, number + 1, next, options))) return
  }
}

function findHighest(names: readonly string[], extension: string): number {
  return Math.max(
    0,
    ...names.flatMap((name) =>
      /^\d+$/.test(removeExtension(name, extension)) ? [parseInt(name, 10)] : [],
    ),
  )
}

function removeExtension(name: string, extension: string): string {
  return name.endsWith(extension) ? name.slice(0, name.length - extension.length) : name
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (readErrorCode(error) === 'ENOENT') return null
    throw error
  })
}

/** Returns whether the text became the version of that number. */
async function addVersion(
  folder: string,
  number: number,
  text: string,
  options: VersionOptions,
): Promise<boolean> {
  const { kept, removedEvery = 1, extension = '', durable = false } = options
  const draft = join(folder, `${number}.${randomUUID()}.draft`)
  await write(draft, text, durable)
  try {
    await link(draft, join(folder, `${number}${extension}`))
  } catch (error) {
    // others remove a draft once its number is far behind
    if (readErrorCode(error) === 'EEXIST' || readErrorCode(error) === 'ENOENT') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
  if (durable) await syncFolder(folder)
  if (number % removedEvery !== 0) return true
  const names = await readdir(folder)
  const oldest = findHighest(names, extension) - kept
  const old = names.filter((name) => /^\d+(\.|$)/.test(name) && parseInt(name, 10) <= oldest)
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
  // so far behind, the number may have been taken and removed before
  return number > oldest
}

async function write(draft: string, text: string, durable: boolean): Promise<void> {
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    if (durable) await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the new name survive a loss of power. Windows cannot open a folder, and needs no sync. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
