import { UnexpectedResponseError } from '@farebox/client'
import type { OperationId } from '@farebox/types/operations'
import { onceRead } from './once-read.js'
import type { Tally } from './tally.js'
import { fromThrown } from './to-farebox-error.js'

/**
 * The same answer, whose body, should it break while the caller reads it, ends with a `FareboxError` of the operation: `aborted`, `timeout`, or
 * `unexpected_response` as for JSON that breaks off. The work was done by then, so that `mayHaveArrived` is true.
 */
export function tellBrokenBody(operation: OperationId, response: Response, signal: AbortSignal | undefined, tally: () => Tally): Response {
  const errorOf = (error: unknown, received: number) => {
    const isBroken = signal?.aborted !== true && error instanceof Error && /^(Type)?Error$/.test(error.name)
    const why = `the answer ${response.status} broke off after ${received} bytes, and may have been charged`
    const thrown = isBroken ? new UnexpectedResponseError(operation, 'incomplete_body', response, '', why, { cause: error }) : error
    return fromThrown(operation, thrown, signal, tally())
  }
  return onceRead(response, { errorOf })
}
