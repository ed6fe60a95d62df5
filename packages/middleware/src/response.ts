/** Where the chunks of a body come from. The reader of a stream is one. */
export type BodySource = {
  readonly read: ReadableStreamDefaultReader<Uint8Array>['read']
  readonly cancel: (reason?: unknown) => Promise<void>
}

/**
 * Returns the response with another body. A chunk is read when the caller asks for one. When `read`
 * rejects, the reader of the body gets that error. `url`, `redirected` and `type` are copied, since
 * a constructed Response has other values.
 *
 * @example
 * ```ts
 * const reader = response.body.getReader()
 * const read = async () => {
 *   const part = await reader.read()
 *   console.log(part.value?.byteLength ?? 'end')
 *   return part
 * }
 * return withBody(response, { read, cancel: (reason) => reader.cancel(reason) })
 * ```
 */
export function withBody(response: Response, { read, cancel }: BodySource): Response {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const part = await read()
    if (part.done) controller.close()
    else controller.enqueue(part.value)
  }
  // the status and the headers are taken from the response
  const copy = new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), response)
  for (const name of ['url', 'redirected', 'type'] as const)
    Object.defineProperty(copy, name, { value: response[name] })
  return copy
}

/**
 * Frees the connection of a response whose body is not read.
 *
 * @example
 * ```ts
 * if (response.status === 503) await discard(response)
 * ```
 */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}

export type BodyStart = {
  readonly text: string
  readonly chunks: readonly Uint8Array[]
  /** Reads the rest; undefined for a response without a body. */
  readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
}

/**
 * Reads the beginning of a body as text, up to the first chunk that reaches `maxBytes`, or until
 * the connection breaks. This bounds the cost of an endless body, and of a small one that
 * decompresses without end. The caller cancels or reads the rest.
 *
 * @param maxBytes the size after which reading stops; a whole chunk is always kept
 * @example
 * ```ts
 * const { text, reader } = await readStart(response, 65_536)
 * await reader?.cancel()
 * ```
 */
export async function readStart({ body }: Response, maxBytes: number): Promise<BodyStart> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  const chunks: Uint8Array[] = []
  let text = ''
  try {
    while (maxBytes > 0) {
      const part = (await reader?.read())?.value
      if (!part) break
      chunks.push(part)
      maxBytes -= part.length
      text += decoder.decode(part, { stream: true })
    }
  } catch {
    // the next read rejects with the same error
  }
  return { text, chunks, reader }
}

/**
 * Reads the beginning of a body as text, as `readStart` does. Returns it with the response, whose
 * whole body is still to be read.
 *
 * @example
 * ```ts
 * const { text, response: whole } = await readAhead(response, 65_536)
 * if (text.includes('maintenance')) report(text)
 * return whole
 * ```
 */
export async function readAhead(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly response: Response }> {
  const { text, chunks, reader } = await readStart(response, maxBytes)
  if (!reader) return { text, response }
  const unread = [...chunks]
  const read = async () => {
    const value = unread.shift()
    return value ? { done: false as const, value } : reader.read()
  }
  return { text, response: withBody(response, { read, cancel: (reason) => reader.cancel(reason) }) }
}

/**
 * Parses a date in one of the three forms of RFC 9110, section 5.6.7, to milliseconds since 1970.
 * NaN for anything else: `Date.parse` would read numbers as years, and the third form as local
 * time.
 *
 * @example
 * ```ts
 * httpDate('Sun, 06 Nov 1994 08:49:37 GMT') // 784111777000
 * ```
 */
export function httpDate(value: string | null): number {
  const text = `${value}`
  return /^[A-Z]/.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : NaN
}

/**
 * How far the server's clock is ahead of ours, in milliseconds, by the Date of a response that
 * arrived at `received` (RFC 9110, section 6.6.1). NaN without a Date, and for a cached response,
 * whose Date is old. Date counts whole seconds and arrives late: the server may be up to about a
 * second further ahead. The caller limits how large an offset it believes.
 *
 * @param receivedAt when the response arrived, in milliseconds since 1970
 * @example
 * ```ts
 * const offset = clockOffset(response, Date.now())
 * ```
 */
export function clockOffset({ headers }: Response, receivedAt: number): number {
  return headers.has('age') ? NaN : httpDate(headers.get('date')) - receivedAt
}

/**
 * Whether a value is an object with named fields: neither null nor an array.
 *
 * @example
 * ```ts
 * const body: unknown = await response.json()
 * const message = isRecord(body) ? body['error'] : undefined
 * ```
 */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
