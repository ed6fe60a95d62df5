import type { BodyLimit } from './body-limit.js'
import { clientGone } from '../contract/failures.js'
import { HttpError } from './http-error.js'

/** Told of each piece before it is kept. Throws when there is no room for it. */
export type TakeBytes = (bytes: number) => void

/**
 * The body as it comes. One that says that it is longer than allowed is refused before any of it is read, and any other as soon as it is; what
 * comes after is not read. A client that goes in the middle of it is no fault of ours.
 */
export async function* bodyOf(request: Request, { bytes: most, refuse }: BodyLimit, take: TakeBytes): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length')) > most) throw refuse()
  let length = 0
  for await (const chunk of piecesOf(request)) {
    length += chunk.byteLength
    if (length > most) throw refuse()
    take(chunk.byteLength)
    yield chunk
  }
}

async function* piecesOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.body ?? []
  } catch {
    throw new HttpError(clientGone())
  }
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
