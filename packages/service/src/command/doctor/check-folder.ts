import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describeError } from '../../platform/database/storage-error.js'
import type { Settings } from '../settings/settings.js'
import { failed, ok, skipped, warning, type Found } from './finding.js'

const mib = 1024 * 1024
/** A database that cannot write stops all paid calls. */
const leastFree = 256 * mib
const lowFree = 2_048 * mib

/** Whether this user alone can read and write the data folder. */
export function checkFolder({ data, databaseUrl }: Settings): Found {
  if (databaseUrl !== undefined) return skipped('the data are in PostgreSQL')
  const there = nearest(data)
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return failed(
      `${there}: ${describeError(error)}`,
      'Let this user read and write the folder, or give another one with --data.',
    )
  }
  const stats = statSync(there)
  if (!stats.isDirectory()) return failed(`${there} is a file`, 'Give a folder with --data.')
  if (there !== resolve(data)) return ok(`${data} is made by the first start`)
  if (process.platform !== 'win32' && (stats.mode & 0o007) !== 0)
    return warning(`every user of this machine can look into ${data}`, `Run chmod 700 ${data}.`)
  return ok(`${data} can be read and written`)
}

/** `freeOf` in bytes, for a path. */
export function checkSpace(
  { data, databaseUrl }: Pick<Settings, 'data' | 'databaseUrl'>,
  freeOf = freeBytes,
): Found {
  if (databaseUrl !== undefined) return skipped('the data are in PostgreSQL')
  const free = freeOf(nearest(data))
  const said = `${Math.floor(free / mib)} MiB are free for ${data}`
  if (free < leastFree)
    return failed(said, 'Make room: a full disk stops every paid call. 256 MiB are the least.')
  return free < lowFree ? warning(said, 'Make room soon: less than 2 GiB are left.') : ok(said)
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** The folder, or else the one that it will be made in. */
function nearest(path: string): string {
  const full = resolve(path)
  return existsSync(full) || dirname(full) === full ? full : nearest(dirname(full))
}
