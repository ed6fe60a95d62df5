import { shownUrl, type Middleware } from '@farebox/middleware'
import { safeEmit, type OnEvent } from './events.js'
import { reasonOf } from './reason-of.js'

/** Emits an event for each request, response and failure. Innermost, it sees every attempt. */
export function observe(onEvent: OnEvent, now: () => number = () => performance.now()): Middleware {
  const emit = safeEmit(onEvent)
  return (next) => async (call) => {
    const start = now()
    emit(call, { type: 'send', method: call.method, url: shownUrl(call.url) })
    try {
      const response = await next(call)
      emit(call, { type: 'response', status: response.status, durationMs: now() - start })
      return response
    } catch (error) {
      const reason = call.signal?.aborted ? 'aborted' : reasonOf({ error })
      emit(call, { type: 'failure', reason, durationMs: now() - start })
      throw error
    }
  }
}
