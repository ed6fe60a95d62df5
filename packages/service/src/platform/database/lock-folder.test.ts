import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderLockedError, lockFolder } from './lock-folder.js'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-lock-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A lock that somebody else left or holds, seen from this machine. */
async function writeForeignLock(
  holder: Readonly<Record<string, unknown>>,
  ageMs = 0,
): Promise<void> {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const here = { host: hostname(), boot, namespace: readlinkSync('/proc/self/ns/pid') }
  const path = join(folder, 'lock.1')
  await writeFile(path, JSON.stringify({ ...here, ...holder }))
  const touched = new Date(Date.now() - ageMs)
  await utimes(path, touched, touched)
}

async function getDeadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('lockFolder', () => {
  it('rejects a second holder, and names the first', async () => {
    await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError)
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`)
  })

  it('is free again after release', async () => {
    for (let round = 0; round < 3; round++) await (await lockFolder(folder)).release()
    await lockFolder(folder)
    expect((await readdir(folder)).filter((name) => !name.startsWith('lock.'))).toEqual([])
  })

  it('takes over from a process that was killed', async () => {
    await writeForeignLock({ pid: await getDeadPid() })
    await lockFolder(folder)
    expect(await readdir(folder)).toEqual(['lock.2'])
  })

  it('recognizes another process that reused the PID of the dead one', async () => {
    await writeForeignLock({ pid: process.pid, started: '1' })
    await lockFolder(folder)
  })

  it('does not take the lock of a live process', async () => {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    await writeForeignLock(
      { pid: process.ppid, started: stat.split(') ').at(-1)?.split(' ')[19] },
      3_600_000,
    )
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.ppid}`)
  })

  it('waits until a holder on another machine stops renewing', async () => {
    await writeForeignLock({ pid: 1, namespace: 'pid:[1]' }, 1_000)
    await expect(lockFolder(folder)).rejects.toThrow(FolderLockedError)
    await writeForeignLock({ pid: 1, namespace: 'pid:[1]' }, 20_000)
    await lockFolder(folder)
  })

  it.each([1, 2, 3])('lets one of 30 processes take over a dead lock, try %d', async () => {
    await writeForeignLock({ pid: await getDeadPid() })
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => lockFolder(folder)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(
      results.filter(
        (result) => result.status === 'rejected' && !(result.reason instanceof FolderLockedError),
      ),
    ).toEqual([])
  })
})
