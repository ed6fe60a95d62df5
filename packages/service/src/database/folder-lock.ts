import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A data folder that another process is using. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError'
}

type Holder = { readonly pid: number; readonly started: string }

/**
 * Claims a folder for this process, and gives the function that releases it. A claim of a process that has ended, however it
 * ended, is taken over: the number of a process may be given out again, so its start time is compared too where it is known.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'farebox.lock')
  const mine: Holder = { pid: process.pid, started: await startOf(process.pid) }
  for (let attempt = 1; ; attempt++) {
    try {
      await writeFile(path, JSON.stringify(mine), { flag: 'wx' })
      return () => rm(path, { force: true })
    } catch (error) {
      if (!isExisting(error)) throw error
      const holder = await readHolder(path)
      if (attempt > 3 || (holder !== undefined && (await isRunning(holder)))) {
        throw new FolderLockedError(
          `The data folder ${folder} is in use by process ${holder?.pid ?? 'unknown'}. End that process, or give another folder with --data.`,
        )
      }
      await rm(path, { force: true })
    }
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return undefined
    return typeof value.pid === 'number' && typeof value.started === 'string' ? { pid: value.pid, started: value.started } : undefined
  } catch {
    // A process that was killed while it wrote leaves half a line, and one that just ended none.
    return undefined
  }
}

async function isRunning({ pid, started }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const now = await startOf(pid)
  return started === '' || now === '' || now === started
}

/** When a process began, in ticks since the machine did; empty where the system does not tell. */
async function startOf(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
