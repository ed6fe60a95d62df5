import { shownUrl, type Call, type Middleware } from '@farebox/middleware'
import { describeFailure } from './outcome.js'

type CallFields = {
  /** The same for all events of one call; 0 without a `retry` around the sender. */
  readonly callId: number
  /** The attempt, counted from 1. */
  readonly attempt: number
  /** The operation's id, where one is known. */
  readonly operation: string | undefined
}

/** The events of a call. No event holds a credential, a header, a body or the query of a URL. */
export type CallEvent =
  /** A request is sent. Sign-in and payment may send more than once within an attempt. */
  | (CallFields & { readonly type: 'send'; readonly method: string; readonly url: string })
  /** Its response has begun. */
  | (CallFields & {
      readonly type: 'response'
      readonly status: number
      readonly durationMs: number
    })
  /** It ended without a response; `reason` is the error's code or name. */
  | (CallFields & {
      readonly type: 'failure'
      readonly reason: string
      readonly durationMs: number
    })
  /** Attempt `attempt` failed, and another follows `delayMs` later. `source` set the delay. */
  | (CallFields & {
      readonly type: 'retry'
      readonly reason: string
      readonly delayMs: number
      readonly source: 'server' | 'backoff'
    })
  /** The attempt waits at least `delayMs`; undefined while requests in flight decide. */
  | (CallFields & {
      readonly type: 'wait'
      readonly by: 'rateLimit' | 'failureBudget'
      readonly reason: string
      readonly delayMs: number | undefined
      /** The server's headers, the contract's limits, or requests in flight. */
      readonly source: 'server' | 'limits' | 'in-flight'
    })
  /**
   * The last attempt failed and no other follows. `reason` is the code of the error, or the status
   * of the response. An aborted attempt counts as one that may have arrived, because it is not
   * known here whether rateLimit or failureBudget held it back.
   */
  | (CallFields & {
      readonly type: 'give-up'
      readonly reason: string
      readonly mayHaveArrived: boolean
      readonly retryAt?: number | undefined
    })

export type OnEvent = (event: CallEvent) => void

/**
 * Emits an event for each request, response and failure. Innermost, it sees every attempt.
 *
 * @example
 * ```ts
 * const middleware = [retry(), observe((event) => console.log(event.type))]
 * ```
 */
export function observe(onEvent: OnEvent, now: () => number = () => performance.now()): Middleware {
  const emit = createSafeEmit(onEvent)
  return (next) => async (call) => {
    const start = now()
    emit(call, { type: 'send', method: call.method, url: shownUrl(call.url) })
    try {
      const response = await next(call)
      emit(call, { type: 'response', status: response.status, durationMs: now() - start })
      return response
    } catch (error) {
      const reason = call.signal?.aborted ? 'aborted' : describeFailure({ error })
      emit(call, { type: 'failure', reason, durationMs: now() - start })
      throw error
    }
  }
}

/** An event without the fields that every event of its call has. */
type OwnFields<Event> = Event extends unknown ? Omit<Event, keyof CallFields> : never

/** Emits the events of calls. */
export type Emit = (call: Call, event: OwnFields<CallEvent>) => void

/** Emits events to a listener, and drops the errors thrown by the listener. */
export function createSafeEmit(onEvent: OnEvent | undefined): Emit {
  return ({ attempt, operation }, event) => {
    try {
      onEvent?.({
        callId: attempt?.callId ?? 0,
        attempt: attempt?.number ?? 1,
        operation: operation?.id,
        ...event,
      })
    } catch {
      // a failing listener must not fail the call or stall the queue
    }
  }
}
