import type { Operation, OperationId } from '@farebox/types/operations'
import { operations } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { addressIn, authenticate, signInOf, type AccessOptions } from '../domain/accounts/authenticate.js'
import type { Admission } from './admission.js'
import { clientGone, failure } from '../contract/failures.js'
import type { Context, Handler, Services, SuccessOf } from '../contract/handler.js'
import { handlers } from '../handlers/handlers.js'
import { formatUsd } from '../domain/ledger/money.js'
import { credentialsRequired } from '../contract/payment-required.js'
import { answerStream } from './answer-stream.js'
import { createBodyBudget, type BodyShare } from './body-budget.js'
import { createBilling } from './billing.js'
import { clientOf } from './client.js'
import type { RequestContext } from './request-context.js'
import { expectedFailure, HttpError } from './http-error.js'
import { readInput, type Validators } from './read-input.js'
import { lowered, type Reply } from './reply.js'

export type OperationRunnerOptions = {
  readonly services: Services
  readonly access: AccessOptions
  readonly admission: Admission
  /** Called for a crash in the middle of a response. An earlier one is thrown. */
  readonly onError: (error: unknown, context: { readonly requestId: string; readonly operation: OperationId }) => void
}

export type OperationRunner = (
  id: OperationId,
  request: Request,
  path: Readonly<Record<string, string>>,
  requestContext: RequestContext,
) => Promise<Reply>

type Made = { readonly answer: SuccessOf<OperationId>; readonly body: ReadableStream<Uint8Array> | undefined }

/**
 * Runs a request through an operation, the cheapest checks first: block, authentication, limits,
 * credit, input, handler, charge, response. A failure is thrown and costs nothing. A client that
 * disconnects pays once the first part of the response exists.
 */
export function createOperationRunner({ services, access, admission, onError }: OperationRunnerOptions): OperationRunner {
  const billing = createBilling({ ...services, wasQueued: services.video.jobs.wasQueued })
  const bodies = createBodyBudget()

  return async (...parameters) => {
    const share = bodies.open()
    try {
      return await run(share, ...parameters)
    } finally {
      share.close()
    }
  }

  async function run(share: BodyShare, ...[id, request, path, requestContext]: Parameters<OperationRunner>): Promise<Reply> {
    const operation: Operation = operations[id]
    const handler = handlers[id] as Handler<OperationId>
    await identify(request, operation, requestContext)
    await admission.admit(requestContext, operation.rateLimit)
    await requireCredentials(request, operation, requestContext)

    const charge = await billing.admit(id, request, requestContext)
    const { caller, callerId, requestId } = requestContext
    const take = (bytes: number) => share.take({ id: callerId, hasCredit: charge.hasCredit }, bytes)
    const { input, given } = await readInput(request, operation, validators[id] as Validators, path, take)
    await charge.open(input)
    const client = clientOf(request)
    const context = {
      input,
      given,
      caller,
      callerId,
      headers: request.headers,
      requestId,
      services,
      get signal() {
        return client.signal
      },
    } as Context<OperationId>
    const onFailure = async (error: unknown) => {
      if (!expectedFailure(error)) onError(error, { requestId, operation: id })
      await charge.refund()
    }
    const work = async (): Promise<Made> => {
      try {
        const answer = await handler(context)
        if (answer.status !== 200) throw new HttpError(answer)
        return { answer, body: 'stream' in answer ? await answerStream(answer.stream, { client, onFailure }) : undefined }
      } catch (error) {
        // work fails in many forms when its client disconnects
        throw expectedFailure(error) || !client.signal.aborted ? error : new HttpError(clientGone())
      }
    }
    // the signal is costly, and it does not matter when a request is free
    const hasLeft = () => charge.owes() && client.signal.aborted

    let made: Made | undefined
    try {
      if (hasLeft()) throw new HttpError(clientGone())
      made = await work()
      await charge.capture(made.answer.modelId ?? null)
    } catch (error) {
      await made?.body?.cancel()
      await charge.release()
      throw error
    }
    const { answer, body } = made
    // the charge stays: the work was done
    if (hasLeft()) {
      await body?.cancel()
      throw new HttpError(clientGone())
    }
    if (answer.balance !== undefined && caller.kind === 'wallet') requestContext.balanceRemaining = formatUsd(answer.balance)
    return replyOf(answer, body)
  }

  /**
   * A refused sign-in counts against its network address, since the message may be stolen. Nothing
   * is verified while that address, or the wallet that the message names, is blocked.
   */
  async function identify(request: Request, operation: Operation, requestContext: RequestContext): Promise<void> {
    const signIn = signInOf(request, operation)
    const refused = `sign-in ${requestContext.callerId}`
    if (signIn !== undefined) {
      admission.screen(requestContext, refused)
      admission.screen(requestContext, addressIn(signIn) ?? refused)
    }
    try {
      requestContext.caller = await authenticate(request, operation, access)
    } catch (error) {
      if (signIn !== undefined) requestContext.callerId = refused
      await admission.admit(requestContext, operation.rateLimit)
      throw error
    }
    const { caller } = requestContext
    if (caller.kind === 'anonymous') return
    requestContext.callerId = caller.account
    if (caller.kind === 'key' && caller.partner) requestContext.rateTier = 'partner'
  }

  async function requireCredentials(request: Request, { security }: Operation, { caller }: RequestContext): Promise<void> {
    if (caller.kind !== 'anonymous' || security.some((schemes) => schemes.length === 0)) return
    const schemes = security.flat()
    if (!schemes.includes('BearerAuth')) {
      throw new HttpError(failure(401, 'The wallet authentication is missing. Send the header SIGN-IN-WITH-X.', 'X402_SIGN_IN_MISSING'))
    }
    if (!schemes.includes('siwx')) {
      throw new HttpError(failure(401, 'The API key is missing. Send it as "Authorization: Bearer <API_KEY>".', 'AUTHENTICATION_FAILED'))
    }
    const url = `${services.terms.origin}${new URL(request.url).pathname}`
    throw new HttpError(await credentialsRequired(services.terms, url))
  }
}

function replyOf(answer: SuccessOf<OperationId>, body: ReadableStream<Uint8Array> | undefined): Reply {
  const headers = lowered(answer.headers)
  if ('stream' in answer) return { status: 200, body: body ?? null, headers: { 'content-type': answer.contentType, ...headers } }
  if ('text' in answer) return { status: 200, body: answer.text, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } }
  return { status: 200, body: JSON.stringify(answer.json), headers: { 'content-type': 'application/json', ...headers } }
}
