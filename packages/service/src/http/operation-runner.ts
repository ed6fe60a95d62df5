import type { Operation, OperationId } from '@farebox/types/operations'
import { operations } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { addressIn, authenticate, signInOf, type AccessOptions } from '../access/authenticate.js'
import type { Admission } from '../access/admission.js'
import type { Answer, Context, Handler, Services } from '../handlers/handler.js'
import { handlers } from '../handlers/handlers.js'
import { formatUsd } from '../ledger/money.js'
import { credentialsRequired } from '../payments/payment-required.js'
import { createBodyBudget, type BodyShare } from './body-budget.js'
import { createCashier } from './cashier.js'
import type { Exchange } from './exchange.js'
import { clientGone, refusal } from './http-error.js'
import { readInput, type Validators } from './read-input.js'
import { lowered, type Reply } from './reply.js'

export type OperationRunnerOptions = {
  readonly services: Services
  readonly access: AccessOptions
  readonly admission: Admission
}

export type OperationRunner = (
  id: OperationId,
  request: Request,
  path: Readonly<Record<string, string>>,
  exchange: Exchange,
) => Promise<Reply>

/**
 * Takes a request through an operation: blocks, who calls, limits, credit, input, handler, charge, answer, the cheapest checks first. Whatever is
 * refused on the way is thrown as an HttpError, and costs nothing.
 */
export function createOperationRunner({ services, access, admission }: OperationRunnerOptions): OperationRunner {
  const cashier = createCashier({ ...services, wasQueued: services.video.jobs.wasQueued })
  const bodies = createBodyBudget()

  return async (...parameters) => {
    const share = bodies.open()
    try {
      return await run(share, ...parameters)
    } finally {
      share.close()
    }
  }

  async function run(share: BodyShare, ...[id, request, path, exchange]: Parameters<OperationRunner>): Promise<Reply> {
    const operation: Operation = operations[id]
    const handler = handlers[id] as Handler<OperationId>
    await identify(request, operation, exchange)
    await admission.admit(exchange, operation.rateLimit)
    await requireCredentials(request, operation, exchange)

    const sale = await cashier.admit(id, request, exchange)
    const { caller, callerId, requestId } = exchange
    const take = (bytes: number) => share.take({ id: callerId, hasCredit: sale.hasCredit }, bytes)
    const { input, given } = await readInput(request, operation, validators[id] as Validators, path, take)
    await sale.open(input)
    const context = { input, given, caller, callerId, request, requestId, services } as Context<OperationId>
    try {
      const answer = await handler(context)
      const body = 'stream' in answer ? await begun(answer.stream, sale.refund) : undefined
      // a signal is costly to make, and who pays nothing may go unnoticed
      if (sale.owes() && request.signal.aborted) {
        await body?.cancel()
        throw clientGone()
      }
      await sale.settle(answer.modelId ?? null)
      if (answer.balance !== undefined && caller.kind === 'wallet') exchange.balanceRemaining = formatUsd(answer.balance)
      return replyOf(answer, body)
    } catch (error) {
      await sale.abandon()
      throw error
    }
  }

  /**
   * A refused sign-in counts against the address that it came from: anybody can send in somebody else's used-up message. Where that address or
   * the wallet that a message names is blocked, nothing is verified.
   */
  async function identify(request: Request, operation: Operation, exchange: Exchange): Promise<void> {
    const signIn = signInOf(request, operation)
    const refused = `sign-in ${exchange.callerId}`
    if (signIn !== undefined) {
      admission.screen(exchange, refused)
      admission.screen(exchange, addressIn(signIn) ?? refused)
    }
    try {
      exchange.caller = await authenticate(request, operation, access)
    } catch (error) {
      if (signIn !== undefined) exchange.callerId = refused
      await admission.admit(exchange, operation.rateLimit)
      throw error
    }
    const { caller } = exchange
    if (caller.kind === 'anonymous') return
    exchange.callerId = caller.account
    if (caller.kind === 'key' && caller.partner) exchange.rateTier = 'partner'
  }

  async function requireCredentials(request: Request, { security }: Operation, { caller }: Exchange): Promise<void> {
    if (caller.kind !== 'anonymous' || security.some((schemes) => schemes.length === 0)) return
    const schemes = security.flat()
    if (!schemes.includes('BearerAuth')) {
      throw refusal(401, 'The wallet authentication is missing. Send the header SIGN-IN-WITH-X.', 'X402_SIGN_IN_MISSING')
    }
    if (!schemes.includes('siwx'))
      throw refusal(401, 'The API key is missing. Send it as "Authorization: Bearer <API_KEY>".', 'AUTHENTICATION_FAILED')
    throw await credentialsRequired(services.terms, `${services.terms.origin}${new URL(request.url).pathname}`)
  }
}

/**
 * The stream once its first bytes are there: until then it may still fail like any other answer. One that breaks off later is cut, which is
 * all that can be said after 200, and given back.
 */
async function begun(stream: AsyncIterable<Uint8Array>, refund: () => Promise<void>): Promise<ReadableStream<Uint8Array>> {
  const parts = stream[Symbol.asyncIterator]()
  let next: IteratorResult<Uint8Array> | undefined = await parts.next()
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const part = next ?? (await parts.next())
          next = undefined
          if (part.done === true) controller.close()
          else controller.enqueue(part.value)
        } catch (error) {
          await refund()
          controller.error(error)
        }
      },
      cancel: async () => void (await parts.return?.()),
    },
    { highWaterMark: 0 },
  )
}

function replyOf(answer: Answer<OperationId>, body: ReadableStream<Uint8Array> | undefined): Reply {
  const headers = lowered(answer.headers)
  if ('stream' in answer) return { status: 200, body: body ?? null, headers: { 'content-type': answer.contentType, ...headers } }
  if ('text' in answer) return { status: 200, body: answer.text, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } }
  return { status: 200, body: JSON.stringify(answer.json), headers: { 'content-type': 'application/json', ...headers } }
}
