import { readErrorCode } from '../../platform/error-code.js'
import { sleep } from '../../platform/sleep.js'
import { lockNotAvailable } from './refusals.js'

/** Whether a statement waits for the locks of its accounts, or fails at once if one is not free. */
export type Wait = '' | 'nowait'

/**
 * Statements of one kind that wait for a lock at a time, each on a connection. With two shared
 * statements of each kind (`share-statements.ts`) they are nine, and the pool has ten.
 */
export const waitingAlone = { holds: 3, captures: 2 }

const pauseMs = 25
const attempts = 40

/**
 * Runs statements for single accounts. At most `most` at a time wait for a lock. Further ones ask
 * for it again and again, without a connection meanwhile: locked accounts leave the rest of the
 * pool to the others.
 */
export function boundWaits(most: number): <Rows>(statement: (wait: Wait) => Promise<Rows>) => Promise<Rows> {
  let waiting = 0
  return async (statement) => {
    for (let attempt = 1; ; attempt++) {
      if (waiting < most) break
      try {
        return await statement('nowait')
      } catch (error) {
        if (attempt === attempts || readErrorCode(error) !== lockNotAvailable) throw error
        await sleep(pauseMs)
      }
    }
    waiting++
    try {
      return await statement('')
    } finally {
      waiting--
    }
  }
}
