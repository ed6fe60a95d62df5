import { isRecord } from '../is-record.js'
import type { UpstreamFault } from './upstream-fault.js'

/** How a call of an upstream failed, for the decision whether to send it again. */
export type UpstreamFailure = {
  /**
   * `refused`: the request is at fault. `busy`: the upstream is well, and takes no more now.
   * `failed`: anything else.
   */
  readonly kind: 'refused' | 'busy' | 'failed'
  /** Whether the upstream may have begun work that it bills. */
  readonly mayHaveBegun: boolean
  /** Whether a question that costs nothing, such as how far a video is, may be asked again. */
  readonly isTransient: boolean
  /** Of an error response. */
  readonly status?: number
  readonly retryAfterMs?: number
}

/**
 * Of an error response. A 4xx, 429 and 503 say that nothing was begun. After another 5xx, the work
 * may have been done behind a gateway that lost it.
 */
export function failureOfFault(fault: UpstreamFault): UpstreamFailure {
  const { status } = fault
  if (fault.kind !== 'busy')
    return { kind: fault.kind, mayHaveBegun: false, isTransient: false, status }
  const { retryAfterSeconds } = fault
  return {
    kind: status === 429 ? 'busy' : 'failed',
    mayHaveBegun: status !== 429 && status !== 503,
    isTransient: true,
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterMs: 1000 * retryAfterSeconds }),
  }
}

/** Of an error that `fetch` rejects with. */
export function failureOfError(error: unknown): UpstreamFailure {
  return { kind: 'failed', mayHaveBegun: !wasNeverSent(error), isTransient: true }
}

/** Of an answer that cannot be used, or that did not come in time. */
export const lostAnswer: UpstreamFailure = {
  kind: 'failed',
  mayHaveBegun: true,
  isTransient: false,
}

/** Errors of Node before a connection exists. */
const unsent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** Whether no connection was made, so that no byte of the request was sent. */
function wasNeverSent(error: unknown): boolean {
  for (
    let cause = error, depth = 0;
    isRecord(cause) && depth < 5;
    cause = cause['cause'], depth++
  ) {
    const { code, errors } = cause
    if (typeof code === 'string' && unsent.has(code)) return true
    // each address of the host was tried
    if (Array.isArray(errors) && errors.length > 0) return errors.every(wasNeverSent)
  }
  return false
}

export type UpstreamErrorOptions = ErrorOptions & {
  /** When a retry may succeed. Default: soon. */
  readonly retryAfterSeconds?: number | undefined
  /** The fault of an upstream, for the log, without secrets and request. */
  readonly trouble?: string | undefined
  /** Of a call of an upstream. */
  readonly failure?: UpstreamFailure | undefined
}

/** Work failed, at an upstream or in this process. The message is for the caller. */
export abstract class UpstreamError extends Error {
  readonly retryAfterSeconds: UpstreamErrorOptions['retryAfterSeconds']
  readonly trouble: UpstreamErrorOptions['trouble']
  readonly failure: UpstreamErrorOptions['failure']

  constructor(
    message: string,
    { retryAfterSeconds, trouble, failure, ...options }: UpstreamErrorOptions = {},
  ) {
    super(message, options)
    this.retryAfterSeconds = retryAfterSeconds
    this.trouble = trouble
    this.failure = failure
  }
}
