import type { Call, Middleware } from '@farebox/middleware'
import type { OperationId } from '@farebox/types/operations'
import type { FareboxEvent } from './events.js'

/** Tells of each send and each answer. Stands innermost, so that every attempt is seen. */
export function observe(onEvent: (event: FareboxEvent) => void): Middleware {
  return (next) => async (call) => {
    const start = performance.now()
    onEvent({ type: 'send', operation: operationOf(call), method: call.method, url: withoutQuery(call.url) })
    const response = await next(call)
    onEvent({ type: 'response', operation: operationOf(call), status: response.status, durationMs: performance.now() - start })
    return response
  }
}

/** Our own client made the call, so its operation is one of ours. */
export function operationOf({ operation }: Call): OperationId | undefined {
  return operation?.id as OperationId | undefined
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
