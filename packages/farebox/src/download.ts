import type { Send } from '@farebox/middleware'
import { lengthOf } from './once-read.js'

export type DownloadOptions = {
  /** Carries its own signature: no credentials are sent. */
  readonly url: string
  /** Without credentials. */
  readonly send: Send
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal
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

  const goOn = async (error: unknown): Promise<void> => {
    if (options.signal?.aborted === true || total === undefined || ++fruitless > fruitlessAttempts) throw error
    await options.wait(250 * 2 ** fruitless, options.signal)
    const rest = await get(options, { range: `bytes=${received}-`, ...(etag !== null && { 'if-range': etag }) }).catch(() => undefined)
    if (rest === undefined) return goOn(error)
    if (rest.status !== 206 || rest.body === null || startOf(rest) !== received) {
      await rest.body?.cancel()
      throw error
    }
    reader = rest.body.getReader()
  }

  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          try {
            const { done, value } = await reader.read()
            if (done && total !== undefined && received < total) throw new TypeError('the body ended early')
            if (done) return controller.close()
            received += value.byteLength
            fruitless = 0
            options.onBytes?.(received, total)
            return controller.enqueue(value)
          } catch (error) {
            try {
              await goOn(error)
            } catch (final) {
              return controller.error(final)
            }
          }
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, statusText, headers } = first
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: first.url })
}

function get({ url, send, signal }: DownloadOptions, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return send({ url, method: 'GET', headers: new Headers(headers), init: { credentials: 'omit' }, ...(signal && { signal }) })
}

function startOf({ headers }: Response): number | undefined {
  const [, start] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? []
  return start === undefined ? undefined : Number(start)
}
