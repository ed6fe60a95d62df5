import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { failure } from '../contract/failures.js'
import type { Services } from '../contract/handler.js'
import { credentialsRequired } from '../contract/payment-required.js'
import {
  type AccessOptions,
  readAddress,
  authenticate,
  noWallets,
  readSignIn,
} from '../domain/accounts/authenticate.js'
import { hasContractLimit, findLowestPrice } from '../domain/models/catalogue.js'
import { advice } from '../handlers/handlers.js'
import type { KeyedRequests } from '../domain/replay/keyed-requests.js'
import { runInSpan } from '../platform/telemetry/spans.js'
import type { Admission } from './admission.js'
import { runOperation, type WorkOptions } from './run-operation.js'
import { createBilling, type BillingOptions } from './billing.js'
import { type BodyBudget, type BodyShare, smallBody } from './read-body.js'
import { createInlinePayments, type InlinePayment } from './inline-payment.js'
import { readInput, type Validators } from './read-input.js'
import { createReplay } from './replay.js'
import { findExpectedFailure, type Reply, HttpError } from './reply.js'
import type { Client, RequestContext } from './request-context.js'

type OperationRunnerOptions = WorkOptions & {
  readonly requests: KeyedRequests
  readonly access: AccessOptions
  readonly admission: Admission
  readonly bodies: BodyBudget
  readonly onUnpaid: BillingOptions['onUnpaid']
  readonly onShortfall: BillingOptions['onShortfall']
}

export type OperationRunner = (
  id: OperationId,
  request: Request,
  path: Readonly<Record<string, string>>,
  requestContext: RequestContext,
) => Promise<Reply>

/**
 * Runs a request through an operation, the cheapest checks first: block, authentication, limits,
 * signature of a payment, credit, input, Idempotency-Key, room, payment, hold, handler, charge,
 * response. A short request for text is only counted in the tier of its model, after its input. A
 * stream is charged when it ends. A failure is thrown and costs nothing. A client that disconnects
 * pays for the part that was made.
 */
export function createOperationRunner({
  services,
  requests,
  access,
  admission,
  bodies,
  onUnpaid,
  onShortfall,
  onError,
}: OperationRunnerOptions): OperationRunner {
  const billing = createBilling({ ...services, onUnpaid, onShortfall })
  const replay = createReplay({ ...services, requests, onError })
  const inline = createInlinePayments(services)
  const { terms } = services

  return (id, request, path, requestContext) =>
    runInSpan({ name: `operation ${id}`, isFailure: isServerError }, async () => {
      const operation: Operation = operations[id]
      await identify(request, operation, requestContext, { access, admission })
      const isCountedLater =
        operation.rateLimit === 'text' &&
        hasContractLimit(terms.catalogue, 'text', requestContext.rateTier) &&
        mayCountLater(request)
      if (!isCountedLater) await admission.admit(requestContext, operation.rateLimit)
      let share: BodyShare | undefined
      try {
        const isPaid =
          findLowestPrice(terms.catalogue, id) !== undefined &&
          request.headers.has('payment-signature')
        const payment = isPaid ? await readPayment(id, request, requestContext) : undefined
        const { caller, callerId } = requestContext
        if (caller.kind === 'anonymous') await requireCredentials(operation, access.wallets, terms)

        const client = watchClient(request)
        // a payment has no account before it is verified, and is its own key
        const key = request.headers.get('idempotency-key') ?? payment?.key
        const keyed =
          key === undefined || caller.kind === 'anonymous' || !takesKey(operation)
            ? undefined
            : replay(id, key, requestContext, caller, client)
        const charge = await billing.admit(id, requestContext, keyed, payment !== undefined)
        // repeating a payment must not use up the memory share of its wallet
        const hasCredit = charge.hasCredit && payment?.key === undefined
        share = bodies.open({ id: callerId, hasCredit })
        const checks: Validators = { ...validators[id], advice: advice[id] }
        const { input, given } = await readInput(request, operation, checks, path, share.take)
        await payment?.authorise(input)
        const work = { id, request, requestContext, client, charge, payment, input, given }
        const options = { services, admission, onError }
        try {
          if (!keyed) return await runOperation(work, options)
          return await keyed.once(input, (run) => runOperation(work, options, run))
        } catch (error) {
          await payment?.explain()
          throw error
        }
      } catch (error) {
        // it failed before the tier of its model counted it
        if (isCountedLater && !requestContext.quota)
          await admission.admit(requestContext, operation.rateLimit)
        throw error
      } finally {
        share?.close()
      }
    })

  /** A payment counts as a top-up of its sender, whose rate limit protects facilitators. */
  async function readPayment(
    id: OperationId,
    request: Request,
    requestContext: RequestContext,
  ): Promise<InlinePayment> {
    const { quota } = requestContext
    await admission.admit(requestContext, operations.topUp.rateLimit)
    const payment = await inline.read(id, request, requestContext)
    // the response has the limit of its own operation
    Object.assign(requestContext, { caller: payment.caller, quota })
    return payment
  }
}

/**
 * Whether the tier of its model may be all that counts a request for text: its body says which, and
 * is read at little cost, and nothing is stored or paid for it before.
 */
function mayCountLater({ headers }: Request): boolean {
  const length = headers.get('content-length')
  const isShort = length !== null && Number(length) <= smallBody
  return isShort && !headers.has('idempotency-key') && !headers.has('payment-signature')
}

function takesKey({ parameters }: Operation): boolean {
  return parameters.some(
    (parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key',
  )
}

/** A 4xx is the caller's error, so its span does not fail. */
function isServerError(error: unknown): boolean {
  return (findExpectedFailure(error)?.status ?? 500) >= 500
}

/**
 * Sets the caller of the request. Throws for credentials that are not accepted. A rejected sign-in
 * counts against its network address, since the message may be stolen. Nothing is verified while
 * that address, or the wallet that the message names, is blocked.
 */
async function identify(
  request: Request,
  operation: Operation,
  requestContext: RequestContext,
  { access, admission }: Pick<OperationRunnerOptions, 'access' | 'admission'>,
): Promise<void> {
  const signIn = readSignIn(request, operation)
  const failedSignIn = `sign-in ${requestContext.callerId}`
  if (signIn !== undefined) {
    admission.screen(requestContext, failedSignIn)
    admission.screen(requestContext, readAddress(signIn) ?? failedSignIn)
  }
  try {
    requestContext.caller = await authenticate(request, operation, access)
  } catch (error) {
    if (signIn !== undefined) requestContext.callerId = failedSignIn
    await admission.admit(requestContext, operation.rateLimit)
    throw error
  }
  const { caller } = requestContext
  if (caller.kind === 'anonymous') return
  requestContext.callerId = caller.account
  if (caller.kind !== 'key') return
  if (caller.partner) requestContext.rateTier = 'partner'
  const key = `key ${caller.keyId ?? caller.account}`
  // administration is counted separately, because it is needed to deal with a failing key
  if (operation.requires === 'ADMIN') requestContext.callerId = `administration ${caller.account}`
  const ownParty = operation.requires === 'ADMIN' ? `administration ${key}` : key
  requestContext.parties = [ownParty, requestContext.callerId]
}

/** Throws when the operation needs credentials. */
async function requireCredentials(
  { id, security }: Operation,
  wallets: boolean,
  terms: Services['terms'],
): Promise<void> {
  if (security.some((schemes) => schemes.length === 0)) return
  const schemes = security.flat()
  if (!wallets && schemes.includes('siwx'))
    throw new HttpError(failure(401, noWallets, 'AUTHENTICATION_FAILED'))
  if (!schemes.includes('BearerAuth')) {
    throw new HttpError(
      failure(
        401,
        'The wallet authentication is missing. Send the header SIGN-IN-WITH-X.',
        'X402_SIGN_IN_MISSING',
      ),
    )
  }
  if (!schemes.includes('siwx')) {
    throw new HttpError(
      failure(
        401,
        'The API key is missing. Send it as "Authorization: Bearer <API_KEY>".',
        'AUTHENTICATION_FAILED',
      ),
    )
  }
  throw new HttpError(await credentialsRequired(terms, id as OperationId))
}

export function watchClient(request: Request): Client {
  let controller: AbortController | undefined
  const client = {
    get signal() {
      if (controller) return controller.signal
      controller = new AbortController()
      const abort = () => controller?.abort(request.signal.reason)
      if (request.signal.aborted) abort()
      else request.signal.addEventListener('abort', abort, { once: true })
      return controller.signal
    },
    leave: () => {
      if (!client.signal.aborted) controller?.abort()
    },
  }
  return client
}
