import { createHmac, timingSafeEqual, randomUUID } from 'node:crypto'
import type { Database } from '../../platform/database/database.js'
import type { ImageFormat } from '../image/image.js'

/** URLs with a signature in place of credentials. */
export type DownloadUrls = {
  readonly sign: (file: DownloadFile, expiresAt: number) => string
  /** The file of a URL. Undefined for an invalid signature. */
  readonly verify: (
    url: URL,
    now: number,
  ) => ({ readonly status: 'good' | 'expired' } & Omit<DownloadFile, 'extension'>) | undefined
}

/** The id is that of a video job or of an image. */
type DownloadFile = {
  readonly kind: 'video' | 'image'
  readonly id: string
  readonly extension: string
}

/** The path of downloads, which is not a path of the contract. */
export const downloadPath = '/downloads/:kind/:file'
const pattern = /^\/downloads\/(video|image)\/([\da-f-]{36})\.\w{3,4}$/

export function createDownloadUrls(origin: string, secret: string): DownloadUrls {
  const sign = (kind: string, id: string, expires: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['download', kind, id, expires]))
      .digest('base64url')
  return {
    sign: ({ kind, id, extension }, expiresAt) => {
      const expires = String(Math.floor(expiresAt / 1000))
      return `${origin}/downloads/${kind}/${id}.${extension}?expires=${expires}&signature=${sign(kind, id, expires)}`
    },
    verify: ({ pathname, searchParams }, now) => {
      const [, kind, id] = pattern.exec(pathname) ?? []
      const [expires, signature] = [searchParams.get('expires'), searchParams.get('signature')]
      if (id === undefined || expires === null || signature === null) return undefined
      if (kind !== 'video' && kind !== 'image') return undefined
      const [signatureBytes, right] = [Buffer.from(signature), Buffer.from(sign(kind, id, expires))]
      if (signatureBytes.length !== right.length || !timingSafeEqual(signatureBytes, right))
        return undefined
      return { status: Number(expires) * 1000 > now ? 'good' : 'expired', kind, id }
    },
  }
}

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
