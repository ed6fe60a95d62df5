import type { Call, Middleware } from '@farebox/middleware'
import type { RetryEvent } from '@farebox/retry'

export type AttemptCounter = {
  /** Stands outside of the retry. */
  readonly middleware: Middleware
  /** Told by the retry before each further attempt. */
  readonly onRetry: (event: RetryEvent) => void
  /** How often the call was sent that this answer belongs to. */
  readonly of: (response: Response) => number
}

/** Counts sends for each call, without a word of it in the call. */
export function attemptCounter(): AttemptCounter {
  const sends = new WeakMap<Call, number>()
  const answers = new WeakMap<Response, number>()
  return {
    middleware: (next) => async (call) => {
      const response = await next(call)
      answers.set(response, sends.get(call) ?? 1)
      return response
    },
    onRetry: ({ call, attempt }) => void sends.set(call, attempt + 1),
    of: (response) => answers.get(response) ?? 1,
  }
}
