import { operations, type Operation, type OperationId } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import type { AccessOptions } from '../domain/accounts/authenticate.js'
import type { KeyedRequests } from '../domain/replay/keyed-requests.js'
import { inSpan } from '../platform/telemetry/spans.js'
import type { Admission } from './admission.js'
import { answerWork, type WorkOptions } from './answer-work.js'
import { createBilling, type BillingOptions } from './billing.js'
import type { BodyBudget, BodyShare } from './body-budget.js'
import { createClient } from './client.js'
import { expectedFailure } from './http-error.js'
import { createIdentification } from './identification.js'
import { createInlinePayments, type InlinePayment } from './inline-payment.js'
import { readInput, type Validators } from './read-input.js'
import { createReplay } from './replay.js'
import type { Reply } from './reply.js'
import type { RequestContext } from './request-context.js'

export type OperationRunnerOptions = WorkOptions & {
  readonly requests: KeyedRequests
  readonly access: AccessOptions
  readonly admission: Admission
  readonly bodies: BodyBudget
  readonly onUnpaid: BillingOptions['onUnpaid']
  readonly onShort: BillingOptions['onShort']
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
  onShort,
  onError,
}: OperationRunnerOptions): OperationRunner {
  const billing = createBilling({ ...services, onUnpaid, onShort })
  const replay = createReplay({ ...services, requests, onError })
  const inline = createInlinePayments(services)
  const { identify, requireCredentials } = createIdentification({
    access,
    admission,
    terms: services.terms,
  })

  return async (...parameters) => {
    const share = bodies.open()
    try {
      return await inSpan({ name: `operation ${parameters[0]}`, isFailure: isOurs }, () =>
        run(share, ...parameters),
      )
    } finally {
      share.close()
    }
  }

  async function run(
    share: BodyShare,
    ...[id, request, path, requestContext]: Parameters<OperationRunner>
  ): Promise<Reply> {
    const operation: Operation = operations[id]
    await identify(request, operation, requestContext)
    await admission.admit(requestContext, operation.rateLimit)
    const payment = inline.isGiven(id, request)
      ? await readPayment(id, request, requestContext)
      : undefined
    await requireCredentials(operation, requestContext)

    const client = createClient(request)
    const { isRepeat, once } = replay(id, request, requestContext, client, payment?.key)
    const charge = await billing.admit(id, requestContext, isRepeat, payment !== undefined)
    const { callerId } = requestContext
    // a caller that repeats a payment may not use the room of its wallet
    const hasCredit = charge.hasCredit && payment?.key === undefined
    const take = (bytes: number) => share.take({ id: callerId, hasCredit }, bytes)
    const { input, given } = await readInput(
      request,
      operation,
      validators[id] as Validators,
      path,
      take,
    )
    await payment?.authorise(input)
    try {
      const work = { id, request, requestContext, client, charge, payment, input, given }
      return await once(input, (keyed) => answerWork(work, { services, admission, onError }, keyed))
    } catch (error) {
      await payment?.explain()
      throw error
    }
  }

  /** A payment counts as a top-up of its sender, whose limit keeps facilitators from floods. */
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

/** A response of 4xx is the fault of its caller. */
function isOurs(error: unknown): boolean {
  return (expectedFailure(error)?.status ?? 500) >= 500
}
