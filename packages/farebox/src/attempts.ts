import type { Middleware } from '@farebox/middleware'

export type AttemptCounter = {
  /** Stands within the retry, which numbers the attempts. */
  readonly middleware: Middleware
  /** How often the call was sent that this answer belongs to. */
  readonly of: (response: Response) => number
}

/** Remembers for each answer which attempt it belongs to. */
export function attemptCounter(): AttemptCounter {
  const answers = new WeakMap<Response, number>()
  return {
    middleware: (next) => async (call) => {
      const response = await next(call)
      answers.set(response, call.attempt?.number ?? 1)
      return response
    },
    of: (response) => answers.get(response) ?? 1,
  }
}
