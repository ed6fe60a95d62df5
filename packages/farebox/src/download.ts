import { discard, withBody, type Send } from '@farebox/middleware'
import type { ToBodyError } from './call.js'
import { readContentLength } from './timeout.js'

type DownloadOptions = {
  /** Signed: it needs no credentials. */
  readonly url: string
  /** Sends no credentials. */
  readonly send: Send
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal
  /** `manual` if no other origin is allowed: then a redirect is the response. */
  readonly redirect: 'manual' | 'follow'
  /** Called after each received chunk. */
  readonly onBytes?: (receivedBytes: number, total: number | undefined) => void
  /** The error for the reader of a body that broke and cannot be resumed. */
  readonly toBodyError?: ToBodyError
}

/** How often a broken download is resumed without receiving a new byte. */
const maxStalledResumes = 3

/**
 * Downloads a file from a signed URL. When the body breaks off, requests the rest (RFC 9110,
 * section 14) and appends it. If the file has changed, or the server does not support ranges, the
 * body ends with the error.
 */
export async function download(options: DownloadOptions): Promise<Response> {
  const first = await get(options)
  if (!first.ok || first.body === null) return first
  const etag = first.headers.get('etag')
  const total = readContentLength(first)
  let reader = first.body.getReader()
  let receivedBytes = 0
  let fruitless = 0

  const resume = async (error: unknown): Promise<void> => {
    if (options.signal?.aborted === true || total === undefined || ++fruitless > maxStalledResumes)
      throw error
    await options.wait(250 * 2 ** fruitless, options.signal)
    const rest = await get(options, {
      range: `bytes=${receivedBytes}-`,
      ...(etag !== null && { 'if-range': etag }),
    }).catch(() => undefined)
    if (rest === undefined) return resume(error)
    if (rest.status !== 206 || rest.body === null || readRangeStart(rest) !== receivedBytes) {
      await discard(rest)
      throw error
    }
    reader = rest.body.getReader()
  }

  const read = async (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    try {
      const part = await reader.read()
      if (part.done && total !== undefined && receivedBytes < total)
        throw new TypeError('the body ended early')
      if (part.done) return part
      receivedBytes += part.value.byteLength
      fruitless = 0
      options.onBytes?.(receivedBytes, total)
      return part
    } catch (error) {
      await resume(error)
      return read()
    }
  }

  const { toBodyError = (error) => error } = options
  return withBody(first, {
    read: () =>
      read().catch((error: unknown) => {
        throw toBodyError(error, first, receivedBytes)
      }),
    cancel: (reason) => reader.cancel(reason),
  })
}

function get(
  { url, send, signal, redirect }: DownloadOptions,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return send({
    url,
    method: 'GET',
    headers: new Headers(headers),
    init: { credentials: 'omit', redirect },
    ...(signal && { signal }),
  })
}

function readRangeStart({ headers }: Response): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? []
  return start === undefined ? undefined : Number(start)
}
