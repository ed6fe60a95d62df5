import { clientGone } from './http-error.js'

/** The body as it comes. A client that goes in the middle of it is no fault of ours. */
export async function* bodyOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.body ?? []
  } catch {
    throw clientGone()
  }
}

/** The whole body. As soon as it is longer than allowed it is refused, and what comes after is not read. */
export async function readBytes(request: Request, most: number, refuse: () => Error): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bodyOf(request)) {
    length += chunk.byteLength
    if (length > most) throw refuse()
    chunks.push(chunk)
  }
  return joinBytes(chunks, length)
}

/** One array with a buffer of its own, that can be moved to another thread. */
export function joinBytes(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
