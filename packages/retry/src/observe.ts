import type { Middleware } from '@farebox/middleware'
import { about, teller, withoutQuery, type OnEvent } from './events.js'
import { reasonOf } from './reason-of.js'

/** Tells of each request that leaves and of what came of it. Stands innermost, so that every attempt is seen. */
export function observe(onEvent: OnEvent, now: () => number = () => performance.now()): Middleware {
  const tell = teller(onEvent)
  return (next) => async (call) => {
    const start = now()
    tell({ ...about(call), type: 'send', method: call.method, url: withoutQuery(call.url) })
    try {
      const response = await next(call)
      tell({ ...about(call), type: 'response', status: response.status, durationMs: now() - start })
      return response
    } catch (error) {
      const reason = call.signal?.aborted ? 'aborted' : reasonOf({ error })
      tell({ ...about(call), type: 'failure', reason, durationMs: now() - start })
      throw error
    }
  }
}
