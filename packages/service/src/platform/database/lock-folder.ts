import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import {
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
  mkdir,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, dirname, resolve } from 'node:path'
import { readErrorCode } from '../unknown-value.js'
import { StorageError, describeError } from './storage-error.js'

type FolderLock = { readonly release: () => Promise<void> }

export class FolderLockedError extends StorageError {
  override readonly name = 'FolderLockedError'
}

/** The process that holds a folder, distinguished from later ones with the same number. */
type Holder = {
  readonly pid: number
  /** Start of the process in ticks since boot, if the system has it. */
  readonly started?: string
  readonly boot?: string
  /** Process numbers are valid within a namespace. */
  readonly namespace?: string
  readonly host: string
  readonly released?: true
}

const pattern = /^lock\.(\d+)$/
const heartbeatMs = 5_000
const silentMs = 15_000

/**
 * Locks a folder for this process, until `release` or the end of the process. Rejects with a
 * FolderLockedError that names the holder.
 *
 * The lock is the file `lock.N` with the highest N. After a dead or released lock, one process can
 * create N + 1. Only the holder removes lower ones, once its own exists. A holder on another
 * machine or in another container is dead when it has not touched its file for 15 s.
 */
export async function lockFolder(
  folder: string,
  now: () => number = Date.now,
): Promise<FolderLock> {
  const draft = join(folder, `lock-${randomUUID()}.draft`)
  await writeFile(draft, JSON.stringify(describeSelf()))
  try {
    for (;;) {
      const highest = Math.max(0, ...(await listNumbers(folder)))
      if (highest > 0) {
        const holder = await readHolder(join(folder, `lock.${highest}`))
        if (holder === undefined) continue // removed by a successor: look again
        const { mtimeMs } = await stat(join(folder, `lock.${highest}`)).catch(() => ({
          mtimeMs: now(),
        }))
        if (isAlive(holder, now() - mtimeMs)) throw createLockedError(folder, holder)
      }
      const mine = join(folder, `lock.${highest + 1}`)
      if (!(await tryLink(draft, mine))) continue
      // meanwhile another process may have created a higher one and removed the one at this number
      const others = await listNumbers(folder)
      if (Math.max(...others) > highest + 1) {
        await rm(mine, { force: true })
        continue
      }
      await Promise.all(
        others
          .filter((number) => number <= highest)
          .map((number) => rm(join(folder, `lock.${number}`), { force: true })),
      )
      return hold(mine)
    }
  } finally {
    await rm(draft, { force: true })
  }
}

function hold(path: string): FolderLock {
  const heartbeat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => undefined),
    heartbeatMs,
  )
  heartbeat.unref()
  return {
    release: async () => {
      clearInterval(heartbeat)
      // the number must not be used again, so the file stays
      const draft = `${path}-${randomUUID()}.draft`
      await writeFile(draft, JSON.stringify({ ...describeSelf(), released: true }))
      await rename(draft, path)
    },
  }
}

async function listNumbers(folder: string): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => {
    const [, digits] = pattern.exec(name) ?? []
    return digits === undefined ? [] : [Number(digits)]
  })
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder
  } catch (cause) {
    if (readErrorCode(cause) === 'ENOENT') return undefined
    throw new StorageError(
      `The lock ${path} cannot be read. Remove it if no service uses its folder, or give another one with --data.`,
      {
        cause,
      },
    )
  }
}

function describeSelf(): Holder {
  const started = readStartTime(process.pid)
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid'))
  return {
    pid: process.pid,
    host: hostname(),
    ...(started !== undefined && { started }),
    ...(boot !== undefined && { boot }),
    ...(namespace !== undefined && { namespace }),
  }
}

function isAlive(holder: Holder, silence: number): boolean {
  if (holder.released === true) return false
  const me = describeSelf()
  const visible =
    holder.boot === me.boot &&
    holder.namespace === me.namespace &&
    (me.boot !== undefined || holder.host === me.host)
  if (!visible) return silence < silentMs
  if (!processExists(holder.pid)) return false
  return holder.started === undefined || readStartTime(holder.pid) === holder.started
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return readErrorCode(error) === 'EPERM'
  }
}

/** Field 22 of /proc/PID/stat. The second field may contain spaces and brackets. */
function readStartTime(pid: number): string | undefined {
  return tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19])
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function createLockedError(folder: string, { pid, host }: Holder): FolderLockedError {
  return new FolderLockedError(
    `The data folder ${folder} is in use by process ${pid} on ${host}. Stop that process, or give another folder with --data.`,
  )
}

/**
 * Creates a folder if necessary, and locks it. Rejects with a FolderLockedError or another
 * StorageError.
 */
export async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    // only its user may access a database
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

/** Node's recursive mkdir never ends below /proc, where every call fails with ENOENT. */
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
