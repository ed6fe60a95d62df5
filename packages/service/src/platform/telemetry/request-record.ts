import type { OperationId } from '@farebox/types/operations'

/**
 * The log record of a request whose response began. It contains nothing that the request carried.
 */
export type RequestRecord = {
  readonly requestId: string
  readonly method: string
  /** Missing for an unknown path. */
  readonly operation?: OperationId | 'download'
  readonly status: number
  /** Code of the error. */
  readonly code?: string
  /** Milliseconds from the request to the head of its response. */
  readonly ms: number
  readonly caller: 'wallet' | 'key' | 'anonymous'
}
