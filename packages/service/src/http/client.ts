/** The party that sent a request and waits for its answer. */
export type Client = {
  /**
   * Aborts when the answer is not read any more: the connection ended, or the body was cancelled.
   * Made when it is first asked for, since it is costly and most requests need none.
   */
  readonly signal: AbortSignal
  /** Says that the body was cancelled. */
  readonly leave: () => void
}

export function clientOf(request: Request): Client {
  let made: AbortController | undefined
  const controller = () => {
    if (made) return made
    const left = (made = new AbortController())
    const abort = () => left.abort(request.signal.reason)
    if (request.signal.aborted) abort()
    else request.signal.addEventListener('abort', abort, { once: true })
    return left
  }
  return {
    get signal() {
      return controller().signal
    },
    leave: () => controller().abort(),
  }
}
