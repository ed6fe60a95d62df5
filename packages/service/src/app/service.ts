import type { RequestInfo } from '../http/request-context.js'

export type Service = {
  /** Answers a request. Never rejects. */
  readonly fetch: (request: Request, info?: RequestInfo) => Promise<Response>
  /**
   * Answers a request of the operator, for a listener that the public cannot reach. Never rejects.
   * 404 without an `operatorKey`.
   */
  readonly operator: (request: Request, info?: RequestInfo) => Promise<Response>
  /** From now on `/readyz` answers 503, so that a balancer calls others. All else is answered. */
  readonly drain: () => void
  /** Waits for running requests, then closes the database and unlocks the folder. */
  readonly close: () => Promise<void>
}

/** A service that closes once, after all running requests. */
export function underWay(
  { fetch, operator, drain }: Omit<Service, 'close'>,
  close: () => Promise<void>,
): Service {
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined
  const counted =
    (answerTo: Service['fetch']): Service['fetch'] =>
    (request, info) => {
      const answer = answerTo(request, info)
      running.add(answer)
      void answer.catch(() => undefined).then(() => running.delete(answer))
      return answer
    }
  return {
    fetch: counted(fetch),
    operator: counted(operator),
    drain,
    close: () => (closed ??= Promise.allSettled(running).then(close)),
  }
}
