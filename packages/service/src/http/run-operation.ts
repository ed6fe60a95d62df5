import type { OperationId } from '@farebox/types/operations'
import { clientGone, type Failure } from '../contract/failures.js'
import type { Context, Handler, Quote, Services, SuccessOf } from '../contract/handler.js'
import { formatUsd, type MicroUsd } from '../domain/ledger/money.js'
import { handlers, quotes } from '../handlers/handlers.js'
import { bindActiveSpan, keepSpansOpen } from '../platform/telemetry/spans.js'
import type { Admission, Reservation } from './admission.js'
import { type StreamEnd, streamBody } from './stream-body.js'
import type { Charge } from './billing.js'
import type { InlinePayment } from './inline-payment.js'
import type { readInput } from './read-input.js'
import type { KeyedRun } from './replay.js'
import { findExpectedFailure, HttpError, type Reply } from './reply.js'
import type { Client, RequestContext } from './request-context.js'

/** An admitted request, with the results of the earlier steps. */
type Work = Awaited<ReturnType<typeof readInput>> & {
  readonly id: OperationId
  readonly request: Request
  readonly requestContext: RequestContext
  readonly client: Client
  readonly charge: Charge
  readonly payment: InlinePayment | undefined
}

type HandlerResult = {
  readonly response: SuccessOf<OperationId>
  /** Of a stream whose work goes on. */
  readonly body?: ReadableStream<Uint8Array>
  /** Of a stream that was gathered. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** Whether the work of the stream has failed, and its body says so. */
  readonly isBroken?: () => boolean
}

export type WorkOptions = {
  readonly services: Services
  readonly admission: Pick<Admission, 'reserve'>
  /** Called for a crash in the middle of a response. An earlier one is thrown. */
  readonly onError: (
    error: unknown,
    context: { readonly requestId: string; readonly operation: OperationId },
  ) => void
}

/**
 * Handles an admitted request: quote, payment, hold, handler, charge, response. A stream is charged
 * when it ends.
 */
export async function runOperation(
  work: Work,
  options: WorkOptions,
  keyed?: KeyedRun,
): Promise<Reply> {
  const { id, request, requestContext, client, charge, payment, input, given } = work
  const { caller, callerId, requestId } = requestContext
  let price = 0n
  const context: Writable<Context<OperationId>, 'order'> = {
    input,
    order: undefined,
    given,
    caller,
    callerId,
    headers: request.headers,
    requestId,
    cost: charge.cost,
    services: options.services,
    fund: async (amount: MicroUsd) => void (await payment?.fund(amount)),
    held: () => price,
    ...(keyed && { idempotency: keyed.requestKey }),
    get signal() {
      return client.signal
    },
  }
  const quoter = quotes[id] as ((known: typeof context) => Promise<Failure | Quote>) | undefined
  const quote = await quoter?.(context)
  if (quote && 'status' in quote) throw new HttpError(quote)
  context.order = quote?.order
  const reservation =
    quote?.tokens && (await options.admission.reserve(requestContext, quote.tokens))
  try {
    price = await charge.open(quote, keyed, payment, client.leave)
  } catch (error) {
    await reservation?.settle(0)
    throw error
  }
  // free requests ignore disconnects, so that no AbortSignal is created
  const hasPrice = price > 0n

  let result: HandlerResult | undefined
  try {
    if (hasPrice && client.signal.aborted) throw new HttpError(clientGone())
    result = await runHandler(work, context, options, reservation)
    if (result.body) await charge.announce()
    else {
      const { modelId, owed, isWhole, usedTokens } = result.response
      await Promise.all([
        charge.capture(modelId ?? null, { owed: owed?.(), isWhole: isWhole?.() ?? true }),
        reservation?.settle(usedTokens?.() ?? 0),
      ])
    }
  } catch (error) {
    await result?.body?.cancel()
    const outlived = await charge.findOutlived()
    await charge.release()
    await reservation?.settle(0)
    throw outlived ?? error
  }
  const { response, body } = result
  // the charge stays: it covers only work that was done; a complete response is stored for a repeat
  if (hasPrice && client.signal.aborted && (body || response.isWhole?.() === false)) {
    await body?.cancel()
    throw new HttpError(clientGone())
  }
  if (response.balance !== undefined && requestContext.caller.kind === 'wallet')
    requestContext.balanceRemaining = formatUsd(response.balance)
  return toReply(result)
}

type Writable<Value, Name extends keyof Value> = Omit<Value, Name> & {
  -readonly [Field in Name]: Value[Field]
}

/** The response of the handler. The end of a stream is charged. */
async function runHandler(
  { id, client, charge, payment, requestContext }: Work,
  context: Context<OperationId>,
  { onError }: WorkOptions,
  reservation: Reservation | undefined,
): Promise<HandlerResult> {
  const { requestId } = requestContext
  const reportCrash = (error: unknown) =>
    void (findExpectedFailure(error) ?? onError(error, { requestId, operation: id }))
  let isBroken = false
  const settle = async (response: SuccessOf<OperationId>, end: StreamEnd) => {
    const { modelId, owed, usedTokens } = response
    const capture = async () => {
      try {
        if ('fault' in end) reportCrash(end.fault)
        else await charge.captureSent(modelId ?? null, { owed: owed?.(), isWhole: end.isWhole })
      } catch (error) {
        reportCrash(error)
        throw error
      } finally {
        await charge.release()
      }
    }
    isBroken = 'fault' in end
    await Promise.all([capture(), reservation?.settle(isBroken ? 0 : (usedTokens?.() ?? 0))])
  }
  try {
    const handler = handlers[id] as Handler<OperationId>
    const result = await handler(context)
    if (result.status !== 200) throw new HttpError(result)
    if (!('stream' in result)) return { response: result }
    const { stream, inOnePiece, closingEvent } = result
    const body = await tracedStream(stream, {
      client,
      onEnd: (end) => settle(result, end),
      // a payment can end before the work, and then pays for what was delivered
      inOnePiece: inOnePiece === true && payment === undefined,
      ...(closingEvent && { closingEvent: (fault) => closingEvent(findExpectedFailure(fault)) }),
    })
    if (body instanceof Uint8Array) return { response: result, bytes: body }
    return { response: result, body, isBroken: () => isBroken }
  } catch (error) {
    // work fails in many forms when its client disconnects
    throw findExpectedFailure(error) || !client.signal.aborted ? error : new HttpError(clientGone())
  }
}

function toReply({ response, body, bytes, isBroken }: HandlerResult): Reply {
  const headers = typeof response.headers === 'function' ? response.headers() : response.headers
  if ('stream' in response)
    return {
      status: 200,
      body: body ?? bytes ?? null,
      headers: {
        'content-type': response.contentType,
        // nginx would keep the parts until its buffer is full
        ...(body && { 'x-accel-buffering': 'no' }),
        ...headers,
      },
      ...(isBroken && { isBroken }),
    }
  if ('text' in response)
    return {
      status: 200,
      body: response.text,
      headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    }
  return {
    status: 200,
    body: JSON.stringify(response.json),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** A stream whose spans are open until its end, and whose end belongs to them. */
const tracedStream: typeof streamBody = async (work, { onEnd, ...options }) => {
  let end: () => void = () => undefined
  keepSpansOpen(new Promise<void>((resolve) => (end = resolve)))
  try {
    const body = await streamBody(work, {
      ...options,
      onEnd: bindActiveSpan((ended) => onEnd(ended).finally(end)),
    })
    if (body instanceof Uint8Array) end()
    return body
  } catch (error) {
    end()
    throw error
  }
}
