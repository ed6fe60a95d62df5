import { createHmac, timingSafeEqual } from 'node:crypto'

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
export type DownloadFile = {
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
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(kind, id, expires))]
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      return { status: Number(expires) * 1000 > now ? 'good' : 'expired', kind, id }
    },
  }
}
