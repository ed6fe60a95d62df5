/** The party that sent a request and waits for its answer. */
export type Client = {
  /**
   * Aborts when nobody reads the answer any more: the connection ended, or the reader cancelled the body. Made when it is first asked for, since it
   * is costly and most requests need none.
   */
  readonly signal: AbortSignal
  /** The reader cancelled the body. */
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
