import { discard, withBody, type Send } from '@farebox/middleware'
import { lengthOf } from './media-body.js'

export type DownloadOptions = {
  /** Carries its own signature: no credentials are sent. */
  readonly url: string
  /** Without credentials. */
  readonly send: Send
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal
  /** `manual` where no other origin may be asked: then a redirect is the response. */
  readonly redirect: 'manual' | 'follow'
  /** Called after each received chunk. */
  readonly onBytes?: (received: number, total: number | undefined) => void
}

/** How often a broken download is resumed without receiving a new byte. */
const fruitlessAttempts = 3

/**
 * Downloads a file from a signed URL. When the body breaks off, the rest is requested (RFC 9110,
 * section 14) and appended. If the file has changed, or the server does not support ranges, the
 * body ends with the error.
 */
export async function download(options: DownloadOptions): Promise<Response> {
  const first = await get(options)
  if (!first.ok || first.body === null) return first
  const etag = first.headers.get('etag')
  const total = lengthOf(first)
  let reader = first.body.getReader()
  let received = 0
  let fruitless = 0

  const resume = async (error: unknown): Promise<void> => {
    if (options.signal?.aborted === true || total === undefined || ++fruitless > fruitlessAttempts) throw error
    await options.wait(250 * 2 ** fruitless, options.signal)
    const rest = await get(options, { range: `bytes=${received}-`, ...(etag !== null && { 'if-range': etag }) }).catch(() => undefined)
    if (rest === undefined) return resume(error)
    if (rest.status !== 206 || rest.body === null || startOf(rest) !== received) {
      await discard(rest)
      throw error
    }
    reader = rest.body.getReader()
  }

  const read = async (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    try {
      const part = await reader.read()
      if (part.done && total !== undefined && received < total) throw new TypeError('the body ended early')
      if (part.done) return part
      received += part.value.byteLength
      fruitless = 0
      options.onBytes?.(received, total)
      return part
    } catch (error) {
      await resume(error)
      return read()
    }
  }

  return withBody(first, { read, cancel: (reason) => reader.cancel(reason) })
}

function get({ url, send, signal, redirect }: DownloadOptions, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return send({
    url,
    method: 'GET',
    headers: new Headers(headers),
    init: { credentials: 'omit', redirect },
    ...(signal && { signal }),
  })
}

function startOf({ headers }: Response): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? []
  return start === undefined ? undefined : Number(start)
}
