import type { Middleware, Send } from './call.js'

/** Puts middleware around a send. The first one sees the call first and the response last. */
export function compose(send: Send, middleware: readonly Middleware[]): Send {
  return middleware.reduceRight((next, wrap) => wrap(next), send)
}
