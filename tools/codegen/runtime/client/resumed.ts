import type { CallOptions } from './call.js'
import type { EventStream } from './events.js'
import { InvalidInputError } from './invalid-input-error.js'
import { UnexpectedResponseError } from './unexpected-response-error.js'

export type ResumeOptions = CallOptions & {
  /** So many calls in a row that bring no event end it. Default 5. */
  readonly attempts?: number
  /** Waits before another call. Default: a timer, which an abort ends. */
  readonly wait?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>
}

/**
 * The events of a stream that goes on when its connection breaks: `open` is called again with
 * `Last-Event-ID`, after the time that the service asks for (`retry`), else 3 s. A service that
 * sends ids must send what came after the id that it is given. The error is thrown if no event had
 * an id, for what is no broken connection, and after `attempts`. A stream that ends is not opened
 * again. Only an operation that may be repeated can be resumed.
 */
export async function* resumed<Event>(
  open: (options: CallOptions) => Promise<EventStream<Event, true>>,
  { attempts = 5, wait = sleep, ...options }: ResumeOptions = {},
): AsyncGenerator<Event, undefined> {
  const headers = new Headers(options.headers)
  let delay = 3000
  for (let failures = 0; ;) {
    let stream: EventStream<Event> | undefined
    try {
      stream = await open({ ...options, headers: new Headers(headers) })
      if (!stream.resumable) throw await createResumeError(stream)
      for await (const event of stream) {
        failures = 0
        yield event
      }
      return
    } catch (error) {
      if (stream?.lastEventId !== undefined)
        headers.set('last-event-id', encodeId(stream.lastEventId))
      delay = stream?.retry ?? delay
      if (
        !isBroken(error) ||
        !headers.get('last-event-id') ||
        ++failures >= attempts ||
        options.signal?.aborted
      )
        throw error
    }
    await wait(delay, options.signal)
  }
}

async function createResumeError(stream: EventStream<unknown>): Promise<InvalidInputError> {
  await stream.return()
  return new InvalidInputError(
    'resumed: the operation must not be repeated, so its events cannot be resumed. Read its stream itself.',
  )
}

/** An id goes over the wire as UTF-8, and a header of fetch takes each byte as one letter. */
function encodeId(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id))
}

/** A connection that broke, or that could not be made. */
function isBroken(error: unknown): boolean {
  return error instanceof UnexpectedResponseError
    ? error.reason === 'incomplete_body'
    : error instanceof TypeError
}

async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    // a timer of more than 31 bits ends at once
    const timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1))
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
  signal?.throwIfAborted()
}
