import { isRecord } from './unknown-value.js'

/**
 * Codes of Node for a connection that was not made, or whose TLS handshake failed: a certificate that
 * is not trusted, or a port that does not speak TLS.
 */
const unsentCode =
  /CERT|UNABLE_TO_|WRONG_VERSION|^(?:E(?:CONNREFUSED|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)|UND_ERR_CONNECT_TIMEOUT)$/

/** Node's message for a connection that closed in its TLS handshake, whose code is ECONNRESET. */
const unsentMessage = /before secure TLS/

/** Whether an error of `fetch` proves that no byte of the request was sent. */
export function wasNeverSent(error: unknown): boolean {
  for (
    let cause = error, depth = 0;
    isRecord(cause) && depth < 5;
    cause = cause['cause'], depth++
  ) {
    const { code, message, errors } = cause
    if (unsentCode.test(String(code)) || unsentMessage.test(String(message))) return true
    // each address of the host was tried
    if (Array.isArray(errors) && errors.length > 0) return errors.every(wasNeverSent)
  }
  return false
}
