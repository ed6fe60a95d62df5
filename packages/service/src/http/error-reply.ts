import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import type { RequestContext } from './request-context.js'
import { HttpError } from './http-error.js'
import { lowered, type Reply } from './reply.js'

/**
 * The answer to whatever was thrown. A crash is told to `onCrash` and answered with 500 and the request id: nothing of the
 * error goes out.
 */
export function errorReply(
  error: unknown,
  operation: OperationId | undefined,
  requestContext: RequestContext,
  onCrash: (error: unknown) => void,
): Reply {
  delete requestContext.balanceRemaining
  const refused = error instanceof HttpError ? error : undefined
  if (!refused) onCrash(error)
  const { requestId } = requestContext
  const answered = refused ?? new HttpError(500, { error: 'An unknown error occurred.', code: 'UNKNOWN_ERROR', requestId })
  const { status, body, headers, callersFault } = answered
  if (typeof body['code'] === 'string') requestContext.refusal = body['code']
  const shaped = isTopUpError(operation, status) ? topUpBody(body) : body
  return { status, body: JSON.stringify(shaped), headers: { 'content-type': 'application/json', ...lowered(headers) }, callersFault }
}

/** Whether the contract declares a TopUpError: for the failures of a payment, but not for the payment options. */
function isTopUpError(id: OperationId | undefined, status: number): boolean {
  const { discovery }: Partial<Operation> = id === undefined ? {} : operations[id]
  return discovery !== undefined && status !== discovery && status !== 429
}

/** TopUpError, which has a code where other errors have a sentence. */
function topUpBody(body: HttpError['body']): HttpError['body'] {
  if (typeof body['message'] === 'string') return body
  const { error, code = 'INVALID_REQUEST', ...rest } = body
  return { error: code, message: error, ...rest }
}
