import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small file system of its own in memory, which can be full. */
export type SmallDisk = {
  readonly folder: string
  /** Fills it to the last byte. Returns what makes room again. */
  readonly fill: () => () => void
  readonly remove: () => void
}

/** Undefined where this user may not mount one. */
export function createSmallDisk(mebibytes: number): SmallDisk | undefined {
  const root = mkdtempSync(join(tmpdir(), 'farebox-small-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', root])
  if (mounted.status !== 0) {
    rmdirSync(root)
    return undefined
  }
  const ballast = join(root, 'ballast')
  const folder = join(root, 'data')
  mkdirSync(folder)
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'w')
      const chunk = Buffer.alloc(1024 * 1024)
      try {
        for (let size = chunk.length; size >= 1;)
          if (!tryWrite(file, chunk.subarray(0, size))) size = Math.floor(size / 2)
      } finally {
        closeSync(file)
      }
      return () => rmSync(ballast, { force: true })
    },
    remove: () => {
      spawnSync('umount', ['-l', root])
      rmdirSync(root)
    },
  }
}

function tryWrite(file: number, bytes: Buffer): boolean {
  try {
    writeSync(file, bytes)
    return true
  } catch {
    return false
  }
}
