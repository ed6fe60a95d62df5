import { tooLarge } from './http-error.js'

/** The whole body, or 413 as soon as it is longer than allowed. What comes after is not read. */
export async function readBytes(request: Request, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > most) throw tooLarge(`The body is larger than ${most} bytes.`)
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
