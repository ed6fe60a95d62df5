import { timeLimit } from './time.js'

/**
 * The chunks of a body. Throws `tooLarge()` as soon as they have more than `maxBytes`, and reads no
 * further.
 */
export async function* limitChunks(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maxBytes) throw tooLarge()
    yield chunk
  }
}

/** A whole body. Undefined for one of more than `maxBytes`, whose rest is cancelled. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  const tooLarge = new RangeError(`The body has more than ${maxBytes} bytes`)
  try {
    if (body)
      for await (const chunk of limitChunks(body, maxBytes, () => tooLarge)) chunks.push(chunk)
  } catch (error) {
    if (error === tooLarge) return undefined
    throw error
  }
  return joinBytes(chunks)
}

/** Frees the connection of an unread response. */
export async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => undefined)
}

/**
 * Reads the end of a body that has nothing more to say, so that its connection can serve another
 * request. One that goes on, or does not end within a second, is cancelled.
 */
export async function readEnd(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  const timer = setTimeout(cancel, timeLimit(1_000)).unref()
  const part = await reader.read().catch(() => undefined)
  clearTimeout(timer)
  if (part?.done === false) cancel()
}

/** One array with a buffer of its own, which can be moved to another thread. */
export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const { byteLength } of chunks) length += byteLength
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
