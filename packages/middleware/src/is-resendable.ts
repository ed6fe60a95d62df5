import type { Call } from './call.js'

/**
 * Whether the body of a call can be sent a second time. Text, bytes, Blob, FormData,
 * URLSearchParams and a body factory can. A stream, or anything else that is read part by part, is
 * gone once it has been read. `withMiddleware` passes the body of a Request as a factory of bytes.
 */
export function isResendable({ body }: { readonly body?: Call['body'] | undefined }): boolean {
  const read = Object(body) as object
  return !('getReader' in read || Symbol.asyncIterator in read)
}
