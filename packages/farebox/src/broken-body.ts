import { UnexpectedResponseError } from '@farebox/client/operations/shared'
import type { OperationId } from '@farebox/types/operations'
import { onBodyEnd } from './on-body-end.js'
import type { CallStatistics } from './call-statistics.js'
import { fromThrown } from './to-farebox-error.js'

/**
 * Returns the response with a body that reports errors as a `FareboxError` of the operation:
 * `aborted`, `timeout`, or `unexpected_response` for a body that breaks off. The work was done by
 * then, so `mayHaveArrived` is true.
 */
export function reportBrokenBody(
  operation: OperationId | undefined,
  response: Response,
  signal: AbortSignal | undefined,
  statistics: () => CallStatistics,
): Response {
  const errorOf = (error: unknown, received: number) => {
    const isBroken = signal?.aborted !== true && error instanceof Error && /^(Type)?Error$/.test(error.name)
    const why = `broke off after ${received} bytes, and may have been charged`
    const thrown = isBroken
      ? new UnexpectedResponseError({ id: operation ?? 'request' }, 'incomplete_body', response, why, '', error)
      : error
    return fromThrown(operation, thrown, signal, statistics())
  }
  return onBodyEnd(response, { errorOf })
}
