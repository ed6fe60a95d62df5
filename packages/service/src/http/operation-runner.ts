import type { Operation, OperationId } from '@farebox/types/operations'
import { operations } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { addressIn, authenticate, signInOf, type AccessOptions } from '../domain/accounts/authenticate.js'
import type { Admission } from './admission.js'
import { clientGone, failure } from '../contract/failures.js'
import type { Context, Handler, Services, SuccessOf } from '../contract/handler.js'
import { handlers } from '../handlers/handlers.js'
import { refusals } from '../handlers/refusals.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import type { KeyedRequests } from '../domain/replay/keyed-requests.js'
import { credentialsRequired } from '../contract/payment-required.js'
import type { StreamEnd } from './answer-stream.js'
import type { BodyBudget, BodyShare } from './body-budget.js'
import { createBilling, type BillingOptions, type Charge } from './billing.js'
import { clientOf, type Client } from './client.js'
import { createInlinePayments, type InlinePayment } from './inline-payment.js'
import type { RequestContext } from './request-context.js'
import { expectedFailure, HttpError } from './http-error.js'
import { readInput, type Validators } from './read-input.js'
import { createReplay, type KeyedRun } from './replay.js'
import { lowered, type Reply } from './reply.js'
import { tracedStream } from './traced-stream.js'
import { inSpan } from '../platform/telemetry/spans.js'

export type OperationRunnerOptions = {
  readonly services: Services
  readonly requests: KeyedRequests
  readonly access: AccessOptions
  readonly admission: Admission
  readonly bodies: BodyBudget
  readonly onUnpaid: BillingOptions['onUnpaid']
  /** Called for a crash in the middle of a response. An earlier one is thrown. */
  readonly onError: (error: unknown, context: { readonly requestId: string; readonly operation: OperationId }) => void
}

export type OperationRunner = (
  id: OperationId,
  request: Request,
  path: Readonly<Record<string, string>>,
  requestContext: RequestContext,
) => Promise<Reply>

/** A request that was admitted, with what the steps before have made. */
type Work = Awaited<ReturnType<typeof readInput>> & {
  readonly id: OperationId
  readonly request: Request
  readonly requestContext: RequestContext
  readonly client: Client
  readonly charge: Charge
  readonly payment: InlinePayment | undefined
}

type Made = { readonly answer: SuccessOf<OperationId>; readonly body: ReadableStream<Uint8Array> | undefined }

/**
 * Runs a request through an operation, the cheapest checks first: block, authentication, limits,
 * signature of a payment, credit, input, Idempotency-Key, room, payment, hold, handler, charge,
 * response. A stream is charged when it ends. A failure is thrown and costs nothing. A client that
 * disconnects pays for the part that was made.
 */
export function createOperationRunner({
  services,
  requests,
  access,
  admission,
  bodies,
  onUnpaid,
  onError,
}: OperationRunnerOptions): OperationRunner {
  const billing = createBilling({ ...services, onUnpaid })
  const replay = createReplay({ ...services, requests, onError })
  const inline = createInlinePayments(services)

  return async (...parameters) => {
    const share = bodies.open()
    try {
      return await inSpan({ name: `operation ${parameters[0]}`, isFailure: isOurs }, () => run(share, ...parameters))
    } finally {
      share.close()
    }
  }

  async function run(share: BodyShare, ...[id, request, path, requestContext]: Parameters<OperationRunner>): Promise<Reply> {
    const operation: Operation = operations[id]
    await identify(request, operation, requestContext)
    await admission.admit(requestContext, operation.rateLimit)
    const payment = inline.isGiven(id, request) ? await readPayment(id, request, requestContext) : undefined
    await requireCredentials(operation, requestContext)

    const client = clientOf(request)
    const { isRepeat, once } = replay(id, request, requestContext, client, payment?.key)
    const charge = await billing.admit(id, requestContext, isRepeat, payment !== undefined)
    const { callerId } = requestContext
    // a caller that repeats a payment may not use the room of its wallet
    const hasCredit = charge.hasCredit && payment?.key === undefined
    const take = (bytes: number) => share.take({ id: callerId, hasCredit }, bytes)
    const { input, given } = await readInput(request, operation, validators[id] as Validators, path, take)
    await payment?.authorise(input)
    try {
      return await once(input, (keyed) => answerOnce({ id, request, requestContext, client, charge, payment, input, given }, keyed))
    } catch (error) {
      await payment?.explain()
      throw error
    }
  }

  /** A payment counts as a top-up of its sender, whose limit keeps facilitators from floods. */
  async function readPayment(id: OperationId, request: Request, requestContext: RequestContext): Promise<InlinePayment> {
    const { quota } = requestContext
    await admission.admit(requestContext, operations.topUp.rateLimit)
    const payment = await inline.read(id, request, requestContext)
    // the response has the limit of its own operation
    Object.assign(requestContext, { caller: payment.caller, quota })
    return payment
  }

  async function answerOnce(work: Work, keyed?: KeyedRun): Promise<Reply> {
    const { id, request, requestContext, client, charge, payment, input, given } = work
    const { caller, callerId, requestId } = requestContext
    const handler = handlers[id] as Handler<OperationId>
    const context = {
      input,
      given,
      caller,
      callerId,
      headers: request.headers,
      requestId,
      cost: charge.cost,
      services,
      fund: async (price: MicroUsd) => payment?.fund(price),
      ...(keyed && { idempotency: keyed.requestKey }),
      get signal() {
        return client.signal
      },
    } as Context<OperationId>
    await refuse(id, context)
    await charge.open(input, keyed, payment)
    const crashed = (error: unknown) => void (expectedFailure(error) ?? onError(error, { requestId, operation: id }))
    const settle = async (modelId: string | null, { made, ...failed }: StreamEnd) => {
      try {
        if ('fault' in failed) crashed(failed.fault)
        else if (made > 0) await charge.captureMade(modelId, made)
      } catch (error) {
        crashed(error)
        throw error
      } finally {
        await charge.release()
      }
    }
    const make = async (): Promise<Made> => {
      try {
        const answer = await handler(context)
        if (answer.status !== 200) throw new HttpError(answer)
        if (!('stream' in answer)) return { answer, body: undefined }
        const onEnd = (end: StreamEnd) => settle(answer.modelId ?? null, end)
        return { answer, body: await tracedStream(answer.stream, { client, onEnd }) }
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
      made = await make()
      if (made.body) await charge.announce()
      else await charge.capture(made.answer.modelId ?? null)
    } catch (error) {
      await made?.body?.cancel()
      await charge.release()
      throw error
    }
    const { answer, body } = made
    // the charge stays: the work was done, or is charged as far as it was
    if (hasLeft()) {
      await body?.cancel()
      throw new HttpError(clientGone())
    }
    if (answer.balance !== undefined && caller.kind === 'wallet') requestContext.balanceRemaining = formatUsd(answer.balance)
    return replyOf(answer, body)
  }

  /** Throws for a request that its operation refuses before anything is paid or held. */
  async function refuse(id: OperationId, context: Context<OperationId>): Promise<void> {
    const refused = await refusals[id]?.(context as Context<never>)
    if (refused) throw new HttpError(refused)
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

  async function requireCredentials({ id, security }: Operation, { caller }: RequestContext): Promise<void> {
    if (caller.kind !== 'anonymous' || security.some((schemes) => schemes.length === 0)) return
    const schemes = security.flat()
    if (!schemes.includes('BearerAuth')) {
      throw new HttpError(failure(401, 'The wallet authentication is missing. Send the header SIGN-IN-WITH-X.', 'X402_SIGN_IN_MISSING'))
    }
    if (!schemes.includes('siwx')) {
      throw new HttpError(failure(401, 'The API key is missing. Send it as "Authorization: Bearer <API_KEY>".', 'AUTHENTICATION_FAILED'))
    }
    throw new HttpError(await credentialsRequired(services.terms, id as OperationId))
  }
}

/** A response of 4xx is the fault of its caller. */
function isOurs(error: unknown): boolean {
  return (expectedFailure(error)?.status ?? 500) >= 500
}

function replyOf(answer: SuccessOf<OperationId>, body: ReadableStream<Uint8Array> | undefined): Reply {
  const headers = lowered(typeof answer.headers === 'function' ? answer.headers() : answer.headers)
  if ('stream' in answer) return { status: 200, body: body ?? null, headers: { 'content-type': answer.contentType, ...headers } }
  if ('text' in answer) return { status: 200, body: answer.text, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } }
  return { status: 200, body: JSON.stringify(answer.json), headers: { 'content-type': 'application/json', ...headers } }
}
