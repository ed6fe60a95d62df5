import { createHmac, timingSafeEqual } from 'node:crypto'

/** URLs with a signature in place of credentials. */
export type DownloadUrls = {
  readonly sign: (jobId: string, expiresAt: number) => string
  /** The job of a URL. Undefined for an invalid signature. */
  readonly verify: (
    url: URL,
    now: number,
  ) => { readonly status: 'good' | 'expired'; readonly jobId: string } | undefined
}

/** The path of downloads, which is not a path of the contract. */
export const downloadPath = '/downloads/video/:file'
const pattern = /^\/downloads\/video\/([\da-f-]{36})\.mp4$/

export function createDownloadUrls(origin: string, secret: string): DownloadUrls {
  const sign = (jobId: string, expires: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['download', jobId, expires]))
      .digest('base64url')
  return {
    sign: (jobId, expiresAt) => {
      const expires = String(Math.floor(expiresAt / 1000))
      return `${origin}/downloads/video/${jobId}.mp4?expires=${expires}&signature=${sign(jobId, expires)}`
    },
    verify: ({ pathname, searchParams }, now) => {
      const [, jobId] = pattern.exec(pathname) ?? []
      const [expires, signature] = [searchParams.get('expires'), searchParams.get('signature')]
      if (jobId === undefined || expires === null || signature === null) return undefined
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(jobId, expires))]
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      return { status: Number(expires) * 1000 > now ? 'good' : 'expired', jobId }
    },
  }
}
