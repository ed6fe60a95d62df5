import { withBody } from './with-body.js'

export type BodyStart = {
  readonly text: string
  readonly chunks: readonly Uint8Array[]
  /** Reads the rest; undefined for a response without a body. */
  readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
}

/**
 * Reads the beginning of a body as text, up to the first chunk that reaches `maxBytes`, or until
 * the connection breaks. An endless body, or a small one that decompresses without end, costs no
 * more. The caller cancels or reads the rest.
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
 * The beginning of a body as text, as `readStart` reads it, and the response with its whole body,
 * which is read when the caller asks for it.
 */
export async function readAhead(response: Response, maxBytes: number): Promise<{ readonly text: string; readonly response: Response }> {
  const { text, chunks, reader } = await readStart(response, maxBytes)
  if (!reader) return { text, response }
  const unread = [...chunks]
  const read = async () => {
    const value = unread.shift()
    return value ? { done: false as const, value } : reader.read()
  }
  return { text, response: withBody(response, { read, cancel: (reason) => reader.cancel(reason) }) }
}
