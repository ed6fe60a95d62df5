import { InvalidInputError, UnexpectedResponseError } from '@farebox/client/operations/shared'
import { untilAborted, type Call, type Middleware, type Send } from '@farebox/middleware'
import { wasNeverSent } from '@farebox/retry'
import type { OperationId } from '@farebox/types/operations'
import { checkCallOptions } from './check-options.js'
import { FareboxError } from './error.js'
import type { FareboxCallOptions } from './methods.js'
import { createRedactor, readCredentials } from './redact.js'
import { describeThrown, errorFromBody, errorFromThrown, type CallStatistics } from './to-error.js'

/** Makes the send of a call with its own options. A promise if its code has to be loaded first. */
export type SendFor = (options: FareboxCallOptions) => Send | Promise<Send>

/** The error for the reader of a body that broke off after `receivedBytes`. */
export type ToBodyError = (error: unknown, response: Response, receivedBytes: number) => unknown

/** The state of one call, and its settings. Its attempts share it. */
export type CallState = {
  /** The time limit of each attempt. Default: that of the SDK object. */
  readonly timeoutMs?: number | undefined
  readonly toBodyError?: ToBodyError
  /** Whether the call has reached its middleware. */
  isStarted: boolean
  /** The headers of the requests that were sent, including those of sign-in and payment. */
  readonly requests: Headers[]
  attempts: number
  lastAttempt?: Call['attempt'] | null
  inFlight: number
  isLost: boolean
  isPaid: boolean
  hasSucceeded: boolean
}

/** A call of the SDK. The copies that middleware makes of it share one state. */
export type StatefulCall = Call & { readonly state?: CallState }

/** The state of a call that has sent nothing, without its list of requests. */
export const initialState = {
  isStarted: false,
  attempts: 0,
  // not undefined, which is the attempt of a call without `retry`
  lastAttempt: null,
  inFlight: 0,
  isLost: false,
  isPaid: false,
  hasSucceeded: false,
} as const satisfies Partial<CallState>

export function callStatistics(state: CallState): CallStatistics {
  return {
    attempts: state.attempts,
    lost: state.isLost,
    open: state.isLost || state.inFlight > 0 || state.isPaid || state.hasSucceeded,
    redact: createRedactor(state.requests.flatMap(readCredentials)),
  }
}

/**
 * Runs one call: checks its options, counts its requests, and turns every failure into a
 * `FareboxError`. A failure before the first request, such as a cycle, a bigint or a getter that
 * throws, is the fault of the input: `invalid_input`.
 */
export async function runCall<Result>(
  operation: OperationId | undefined,
  options: FareboxCallOptions,
  sendFor: SendFor,
  work: (send: Send, state: CallState) => Promise<Result>,
): Promise<Result> {
  // not null, which is rejected below
  const { signal, timeoutMs } = Object(options) as FareboxCallOptions
  const state: CallState = {
    ...initialState,
    requests: [],
    timeoutMs,
    toBodyError: (...bodyFailure) =>
      errorFromBody(operation, ...bodyFailure, signal, callStatistics(state)),
  }
  try {
    checkCallOptions(options)
    const chain = sendFor(options)
    const send = chain instanceof Promise ? await untilAborted(chain, signal) : chain
    const sendWithState: Send = (call) => {
      state.isStarted = true
      // in V8 a key that is added to a spread costs ten times the assignment
      return send(Object.assign({}, call, { state }))
    }
    return await work(sendWithState, state)
  } catch (error) {
    const isKnown =
      state.isStarted ||
      signal?.aborted ||
      error instanceof FareboxError ||
      error instanceof InvalidInputError
    throw errorFromThrown(
      operation,
      isKnown ? error : toInputError(error),
      signal,
      callStatistics(state),
      await readUndeclaredBody(error),
    )
  }
}

function toInputError(cause: unknown): InvalidInputError {
  const why = cause instanceof Error ? cause.message : 'a value cannot be read.'
  return new InvalidInputError(`the call cannot be sent: ${why}`, { cause })
}

/** The body of an undeclared response. An empty `excerpt` means that it may hold a secret. */
async function readUndeclaredBody(error: unknown): Promise<unknown> {
  if (
    !(error instanceof UnexpectedResponseError) ||
    error.excerpt === '' ||
    error.response.bodyUsed
  )
    return undefined
  return parseJson(await error.response.text())
}

/** Parses JSON. Returns any other text unchanged. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Counts the requests of a call in its state, and keeps the headers of the last requests of all
 * calls in `recent`. Does not send a call that is aborted.
 */
export function recordSends(recent: Headers[]): Middleware {
  return (next) => async (call: StatefulCall) => {
    const { signal, state, headers } = call
    signal?.throwIfAborted()
    recent.push(headers)
    if (recent.length > 16) recent.shift()
    if (!state) return next(call)
    if (state.lastAttempt !== call.attempt) state.attempts++
    state.lastAttempt = call.attempt
    // any payment that was sent may be settled later
    state.isPaid ||= headers.has('payment-signature') || headers.has('x-payment')
    state.requests.push(headers)
    state.inFlight++
    try {
      const response = await next(call)
      state.hasSucceeded ||= response.ok
      return response
    } catch (error) {
      state.isLost ||= !wasNeverSent(error)
      throw error
    } finally {
      state.inFlight--
    }
  }
}

/**
 * Marks an exception that was thrown before the request (by a store, a signer, a clock, the
 * environment) as `not_sent`. Without the mark, `retry` would treat it as a lost response. Errors
 * that state `mayHaveArrived` themselves, or that are permanent, pass unchanged.
 */
export const localFailures: Middleware = (next) => async (call: StatefulCall) => {
  const { state } = call
  const before = state?.requests.length
  try {
    return await next(call)
  } catch (error) {
    const { mayHaveArrived, retryable } = Object(error) as {
      readonly mayHaveArrived?: unknown
      readonly retryable?: unknown
    }
    const isSent = state?.requests.length !== before
    if (
      !state ||
      isSent ||
      call.signal?.aborted ||
      typeof mayHaveArrived === 'boolean' ||
      retryable === false
    )
      throw error
    throw Object.assign(new Error(`nothing was sent: ${describeThrown(error)}`, { cause: error }), {
      code: 'not_sent',
      mayHaveArrived: false,
      retryable: false,
    })
  }
}
