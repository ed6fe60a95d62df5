import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { VideoTicket } from 'farebox'
import type { Environment } from './command.js'
import { homedirOf } from './settings.js'

/** Videos that are queued and not fetched yet, on disk, so that a wait can be picked up by the queue id alone. */
export type Tickets = {
  readonly keep: (ticket: VideoTicket) => Promise<void>
  readonly find: (queueId: string) => Promise<VideoTicket | undefined>
  readonly forget: (queueId: string) => Promise<void>
}

/**
 * In the user's folder for state (XDG Base Directory Specification), readable by the user alone: a `download_url` opens the video to whoever has
 * it. A folder that cannot be written is no reason to fail: the queue id was told on stderr as well.
 */
export function ticketsOf(environment: Environment): Tickets {
  const state = environment['XDG_STATE_HOME'] ?? ''
  const folder = join(state === '' ? join(homedirOf(environment), '.local', 'state') : state, 'farebox', 'videos')
  // the id is the service's word, and no word of a service names a file here
  const pathOf = (queueId: string) => join(folder, `${createHash('sha256').update(queueId).digest('hex')}.json`)
  return {
    keep: async (ticket) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(pathOf(ticket.queue_id), 'w', 0o600)
      await file.writeFile(JSON.stringify(ticket))
      await file.close()
    },
    find: async (queueId) => {
      const text = await readFile(pathOf(queueId), 'utf8').catch(() => undefined)
      const ticket = text === undefined ? undefined : parse(text)
      return isTicket(ticket) ? ticket : undefined
    },
    forget: (queueId) => rm(pathOf(queueId), { force: true }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isTicket(value: unknown): value is VideoTicket {
  return (
    typeof value === 'object' &&
    value !== null &&
    'model' in value &&
    typeof value.model === 'string' &&
    'queue_id' in value &&
    typeof value.queue_id === 'string' &&
    (!('download_url' in value) || typeof value.download_url === 'string')
  )
}
