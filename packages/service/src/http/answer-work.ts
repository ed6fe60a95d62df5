import type { OperationId } from '@farebox/types/operations'
import { clientGone } from '../contract/failures.js'
import type { Context, Handler, Services, SuccessOf } from '../contract/handler.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import { handlers } from '../handlers/handlers.js'
import { refusals } from '../handlers/refusals.js'
import { type StreamEnd, answerStream } from './answer-stream.js'
import type { Charge } from './billing.js'
import type { Client } from './client.js'
import { expectedFailure, HttpError } from './http-error.js'
import type { InlinePayment } from './inline-payment.js'
import type { readInput } from './read-input.js'
import type { KeyedRun } from './replay.js'
import { lowered, type Reply } from './reply.js'
import type { RequestContext } from './request-context.js'
import { keepSpansOpen, withActiveSpan } from '../platform/telemetry/spans.js'

/** A request that was admitted, with what the steps before have made. */
export type Work = Awaited<ReturnType<typeof readInput>> & {
  readonly id: OperationId
  readonly request: Request
  readonly requestContext: RequestContext
  readonly client: Client
  readonly charge: Charge
  readonly payment: InlinePayment | undefined
}

type Made = {
  readonly answer: SuccessOf<OperationId>
  readonly body: ReadableStream<Uint8Array> | undefined
}

export type WorkOptions = {
  readonly services: Services
  /** Called for a crash in the middle of a response. An earlier one is thrown. */
  readonly onError: (
    error: unknown,
    context: { readonly requestId: string; readonly operation: OperationId },
  ) => void
}

/**
 * Answers a request that was admitted: refusal, payment, hold, handler, charge, response. A stream
 * is charged when it ends.
 */
export async function answerWork(
  work: Work,
  options: WorkOptions,
  keyed?: KeyedRun,
): Promise<Reply> {
  const { id, requestContext, client, charge, payment, input } = work
  const context = createContext(work, options, keyed)
  const refused = await refusals[id]?.(context as Context<never>)
  if (refused) throw new HttpError(refused)
  await charge.open(input, keyed, payment)
  // the signal is costly, and it does not matter when a request is free
  const hasLeft = () => charge.owes() && client.signal.aborted

  let made: Made | undefined
  try {
    if (hasLeft()) throw new HttpError(clientGone())
    made = await make(work, context, options)
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
  if (answer.balance !== undefined && requestContext.caller.kind === 'wallet')
    requestContext.balanceRemaining = formatUsd(answer.balance)
  return toReply(answer, body)
}

function createContext(
  work: Work,
  { services }: WorkOptions,
  keyed?: KeyedRun,
): Context<OperationId> {
  const { request, requestContext, client, charge, payment, input, given } = work
  const { caller, callerId, requestId } = requestContext
  return {
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
  }
}

/** The answer of the handler. The end of a stream is charged. */
async function make(
  { id, client, charge, requestContext }: Work,
  context: Context<OperationId>,
  { onError }: WorkOptions,
): Promise<Made> {
  const { requestId } = requestContext
  const crashed = (error: unknown) =>
    void (expectedFailure(error) ?? onError(error, { requestId, operation: id }))
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
  try {
    const handler = handlers[id] as Handler<OperationId>
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

function toReply(
  answer: SuccessOf<OperationId>,
  body: ReadableStream<Uint8Array> | undefined,
): Reply {
  const headers = lowered(typeof answer.headers === 'function' ? answer.headers() : answer.headers)
  if ('stream' in answer)
    return {
      status: 200,
      body: body ?? null,
      headers: { 'content-type': answer.contentType, ...headers },
    }
  if ('text' in answer)
    return {
      status: 200,
      body: answer.text,
      headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    }
  return {
    status: 200,
    body: JSON.stringify(answer.json),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** A stream whose spans are open until its end, and whose end belongs to them. */
const tracedStream: typeof answerStream = async (work, { client, onEnd }) => {
  const inItsSpan = withActiveSpan()
  let end: () => void = () => undefined
  keepSpansOpen(new Promise<void>((resolve) => (end = resolve)))
  try {
    return await answerStream(work, {
      client,
      onEnd: (made) => inItsSpan(() => onEnd(made)).finally(end),
    })
  } catch (error) {
    end()
    throw error
  }
}
