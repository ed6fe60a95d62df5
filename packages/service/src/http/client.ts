/** The sender of a request. */
export type Client = {
  /**
   * Aborts when the connection ends or the body is cancelled. It is costly, so it is made on first
   * use.
   */
  readonly signal: AbortSignal
  /** The body was cancelled. */
  readonly leave: () => void
}

export function createClient(request: Request): Client {
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
