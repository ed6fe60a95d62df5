import type { Call } from './call.js'

/**
 * Whether the body of a call can be sent a second time. Text, bytes, Blob, FormData, URLSearchParams and a body factory can;
 * a stream (also that of a Request given to `withMiddleware`) is gone once it has been read.
 */
export function isResendable({ body }: { readonly body?: Call['body'] | undefined }): boolean {
  if (body === undefined || body === null || typeof body === 'string' || typeof body === 'function') return true
  return (
    ArrayBuffer.isView(body) ||
    body instanceof ArrayBuffer ||
    body instanceof Blob ||
    body instanceof FormData ||
    body instanceof URLSearchParams
  )
}
