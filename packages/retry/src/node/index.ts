import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { updateVersions } from '@farebox/middleware/node'
import { createLimitStore, type LimitStore } from '../limit-store.js'

/**
 * Shares rate limits and the failure budget among all processes of one machine that use the same
 * folder. The first call creates it; only its owner can read it.
 *
 * The state of each key is in its own folder, which `updateVersions` changes without a lock: a
 * process that is killed at any point never keeps others waiting. The slots that it held are free
 * after two minutes. The update of a process that is suspended during 200 updates of others may be
 * lost. Needs a file system with hard links.
 *
 * @example
 * ```ts
 * const middleware = rateLimit({ store: fileLimitStore('/var/lib/app/limits') })
 * ```
 */
export function fileLimitStore(folder: string, now?: () => number): LimitStore {
  return createLimitStore((key, change) => {
    const stateFolder = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32))
    return updateVersions(stateFolder, change, { kept: 200, removedEvery: 50 })
  }, now)
}
