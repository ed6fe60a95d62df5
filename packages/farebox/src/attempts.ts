import type { Middleware } from '@farebox/middleware'
import { neverSent } from '@farebox/retry'

export type Attempt = {
  /** Counted from 1. */
  readonly number: number
  /** Whether one before it may have arrived although its answer was lost. */
  readonly afterLoss: boolean
}

export const firstAttempt: Attempt = { number: 1, afterLoss: false }

export type AttemptCounter = {
  /** Stands within the retry, which numbers the attempts. */
  readonly middleware: Middleware
  /** The attempt that this answer or error came of. */
  readonly of: (end: unknown) => Attempt
}

/** Remembers for each answer, and for each error that ends an attempt, which attempt it belongs to. */
export function attemptCounter(): AttemptCounter {
  const ends = new WeakMap<object, Attempt>()
  // all attempts of a call have the same headers
  const losses = new WeakSet<Headers>()
  return {
    middleware: (next) => async (call) => {
      const attempt: Attempt = { number: call.attempt?.number ?? 1, afterLoss: losses.has(call.headers) }
      try {
        const response = await next(call)
        ends.set(response, attempt)
        return response
      } catch (error) {
        if (error instanceof Error) ends.set(error, attempt)
        if (!neverSent(error)) losses.add(call.headers)
        throw error
      }
    },
    of: (end) => (typeof end === 'object' && end !== null ? ends.get(end) : undefined) ?? firstAttempt,
  }
}
