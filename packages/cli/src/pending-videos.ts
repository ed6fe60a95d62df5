import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { QueuedVideo } from 'farebox'
import type { Environment } from './command.js'
import { homeFolder } from './settings.js'

/**
 * The queued videos that were not downloaded yet, on disk, so that the queue id is enough to resume
 * a wait.
 */
export type PendingVideos = {
  readonly keep: (video: QueuedVideo) => Promise<void>
  readonly find: (queueId: string) => Promise<QueuedVideo | undefined>
  /** All of them. A file that cannot be read is left out. */
  readonly list: () => Promise<readonly QueuedVideo[]>
  readonly remove: (queueId: string) => Promise<void>
}

/**
 * Stores them in the user's state folder (XDG Base Directory Specification), readable only by the
 * user: a `download_url` gives access to the video. The command ignores a folder that cannot be
 * written, because stderr shows the queue id too.
 */
export function openPendingVideos(environment: Environment): PendingVideos {
  const state = environment['XDG_STATE_HOME'] ?? ''
  const folder = join(
    state === '' ? join(homeFolder(environment), '.local', 'state') : state,
    'farebox',
    'videos',
  )
  // hashed: a string from the service must not name a file
  const toPath = (queueId: string) =>
    join(folder, `${createHash('sha256').update(queueId).digest('hex')}.json`)
  return {
    keep: async (video) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = await open(toPath(video.queue_id), 'w', 0o600)
      await file.writeFile(JSON.stringify(video))
      await file.close()
    },
    find: (queueId) => readVideo(toPath(queueId)),
    list: async () => {
      const names = await readdir(folder).catch(() => [])
      const videos = await Promise.all(
        names.filter((name) => name.endsWith('.json')).map((name) => readVideo(join(folder, name))),
      )
      return videos.filter((video) => video !== undefined)
    },
    remove: (queueId) => rm(toPath(queueId), { force: true }),
  }
}

async function readVideo(path: string): Promise<QueuedVideo | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const video = text === undefined ? undefined : parse(text)
  return isQueuedVideo(video) ? video : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isQueuedVideo(value: unknown): value is QueuedVideo {
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
