import { randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { DownloadUrls } from '../video/download-urls.js'
import type { ImageFormat } from './image-backend.js'

/** Images that callers fetch by URL, for 24 hours. */
export type ImageStore = {
  /** The URL of the image. */
  readonly save: (account: string, bytes: Uint8Array, format: ImageFormat) => Promise<string>
  readonly find: (
    id: string,
  ) => Promise<{ readonly bytes: Uint8Array; readonly format: ImageFormat } | undefined>
}

const lifetimeMs = 24 * 3_600_000

export function createImageStore(
  database: Database,
  urls: DownloadUrls,
  now: () => number,
): ImageStore {
  return {
    save: async (account, bytes, format) => {
      const id = randomUUID()
      const expiresAt = now() + lifetimeMs
      await database.query(
        `insert into generated_image (id, account_id, format, content, expires_at)
         select $2, id, $3, $4, $5 from account where name = $1`,
        [account, id, format, bytes, new Date(expiresAt).toISOString()],
      )
      return urls.sign({ kind: 'image', id, extension: format }, expiresAt)
    },

    find: async (id) => {
      const [row] = await database.query<{ content: Uint8Array; format: ImageFormat }>(
        'select content, format from generated_image where id = $1 and expires_at > $2',
        [id, new Date(now()).toISOString()],
      )
      return row && { bytes: new Uint8Array(row.content), format: row.format }
    },
  }
}
