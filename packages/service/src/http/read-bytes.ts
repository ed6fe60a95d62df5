import { clientGone } from '../contract/failures.js'
import { boundedChunks } from '../platform/bounded-body.js'
import type { BodyLimit } from './body-limit.js'
import { HttpError } from './http-error.js'

/** Called with the size of each chunk before it is kept. Throws when there is no memory for it. */
export type TakeBytes = (bytes: number) => void

/**
 * The chunks of a body up to its limit. A body whose Content-Length is over the limit is refused
 * unread.
 */
export async function* readLimitedBody(
  request: Request,
  { bytes: maxBytes, refuse }: BodyLimit,
  take: TakeBytes,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length')) > maxBytes) throw refuse()
  for await (const chunk of boundedChunks(readChunks(request), maxBytes, refuse)) {
    take(chunk.byteLength)
    yield chunk
  }
}

async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.body ?? []
  } catch {
    throw new HttpError(clientGone())
  }
}
