import type { Operation } from '@farebox/types/operations'
import { invalidInput, tooLarge, clientGone } from '../contract/failures.js'
import { HttpError } from './http-error.js'
import { boundedChunks } from '../platform/bounded-body.js'

/** The largest body in bytes, and the error for a larger one. */
export type BodyLimit = { readonly bytes: number; readonly refuse: () => HttpError }

/** For operations that declare 413: video requests have pictures and videos as data URLs. */
const largeJson = 64 * 1024 * 1024
/** For other operations, whose longest texts have some kilobytes. */
const smallJson = 1024 * 1024
/** The largest file without a figure in the contract. */
const defaultFile = 25 * 1024 * 1024
/** For boundaries, part headers and fields of a form. */
export const formOverhead = 256 * 1024

/**
 * Follows `x-max-file-bytes` for a form, and for JSON `x-max-body-bytes`, or else whether the
 * operation declares 413.
 */
export function findBodyLimit(operation: Operation): BodyLimit {
  const hasAnswer = '413' in operation.responses
  const isForm = operation.body?.contentType === 'multipart/form-data'
  const files = Object.values(findFileLimits(operation))
  const json = operation.maxBodyBytes ?? (hasAnswer ? largeJson : smallJson)
  const bytes = isForm
    ? formOverhead + (files.length === 0 ? defaultFile : files.reduce((sum, one) => sum + one))
    : json
  const message = `The body is larger than ${bytes} bytes.`
  // no other request can follow an unread body
  const close = { connection: 'close' }
  return {
    bytes,
    refuse: () =>
      new HttpError(
        hasAnswer ? tooLarge(message, close) : invalidInput(message, { _errors: [message] }, close),
      ),
  }
}

/** Largest size in bytes of each file of a form. */
export function findFileLimits(operation: Operation): Readonly<Record<string, number>> {
  return operation.maxFileBytes ?? {}
}

export function findFileLimit(operation: Operation, name: string): number {
  const limits = findFileLimits(operation)
  return (
    (Object.hasOwn(limits, name) ? limits[name] : undefined) ??
    Math.max(defaultFile, ...Object.values(limits))
  )
}

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
