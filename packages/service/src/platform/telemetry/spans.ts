import { AsyncLocalStorage } from 'node:async_hooks'
import { sendRequest } from '../send-request.js'
import type { Registry } from './registry.js'

/** The sending of a signal began to fail, with the reason, or works again, without one. */
export type OnSent = (signal: 'traces' | 'metrics', failure?: string) => void

/** Where traces and metrics go, beside the log and `/metrics`. */
export type Telemetry = {
  /**
   * Starts a span below that of the caller, whose headers name it, or a new trace. Undefined when
   * no traces are sent.
   */
  readonly startSpan: (start: SpanStart, caller?: Headers) => Span | undefined
  /** Sends these metrics from time to time, until `close`. */
  readonly sendMetrics: (metrics: Pick<Registry, 'collect'>) => void
  /** Sends the rest, for a limited time. Never rejects. */
  readonly close: () => Promise<void>
}

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** What a span says from its start. */
export type SpanStart = {
  /** Of few values: never an id, an address or anything that a caller chose. */
  readonly name: string
  readonly kind?: 'server' | 'client' | 'consumer'
  readonly attributes?: Attributes
  /** Whether an error is a failure of this work. Default: every one is. */
  readonly isFailure?: (error: unknown) => boolean
  /** Related work outside of this span. */
  readonly links?: readonly Span[]
}

/** The ids of a span, as log records name them. */
type TraceIds = { readonly trace_id: string; readonly span_id: string }

/** A piece of work in a trace. No attribute has a secret, or anything of a body. */
export type Span = TraceIds & {
  readonly child: (start: SpanStart) => Span
  readonly rename: (name: string) => void
  readonly set: (attributes: Attributes) => void
  /** The work failed. `type` is the name of an error, or a status. */
  readonly fail: (type: string) => void
  readonly end: () => void
  /** What tells another service of this span: `traceparent` and `tracestate` (W3C). */
  readonly headers: () => Readonly<Record<string, string>>
}

type Open = {
  readonly span: Span
  readonly outer: Open | undefined
  readonly until: Promise<unknown>[]
}

/** The span that the running code belongs to. Without one, nothing is recorded. */
const active = new AsyncLocalStorage<Open | undefined>()

export function findActiveSpan(): Span | undefined {
  return active.getStore()?.span
}

/**
 * Does the work in a span below the active one. Without an active span, it only does the work. A
 * rejection is noted in the span, by the name of its error.
 */
export function runInSpan<T>(start: SpanStart, work: (span?: Span) => Promise<T>): Promise<T> {
  const outer = active.getStore()
  return outer === undefined
    ? work()
    : runInOpenSpan(outer.span.child(start), work, { outer, isFailure: start.isFailure })
}

/** Does the work in a span that was started for it, as one that is below no other. */
export async function runInOpenSpan<T>(
  span: Span,
  work: (span: Span) => Promise<T>,
  {
    outer,
    isFailure = () => true,
  }: { readonly outer?: Open; readonly isFailure?: SpanStart['isFailure'] | undefined } = {},
): Promise<T> {
  const open: Open = { span, outer, until: [] }
  try {
    return await active.run(open, work, span)
  } catch (error) {
    if (isFailure(error)) span.fail(error instanceof Error ? error.name : 'Error')
    throw error
  } finally {
    if (open.until.length === 0) span.end()
    else void Promise.allSettled(open.until).then(span.end)
  }
}

/** Like `runInSpan`, from the first item that is asked for to the last one. */
export async function* streamInSpan<T>(
  start: SpanStart,
  work: () => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const outer = active.getStore()
  if (outer === undefined) return yield* work()
  const span = outer.span.child(start)
  const open: Open = { span, outer, until: [] }
  const items = work()
  try {
    for (;;) {
      // a generator runs in the context of its reader
      const item = await active.run(open, () => items.next())
      if (item.done === true) return undefined
      yield item.value
    }
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'Error')
    throw error
  } finally {
    await active.run(open, () => items.return(undefined))
    span.end()
  }
}

/** The same functions, each in a span of its own. */
export function wrapInSpans<Part extends object>(subject: string, part: Part): Part {
  const spanned = Object.entries(part).map(([name, work]: [string, unknown]) => {
    if (typeof work !== 'function') return [name, work]
    return [
      name,
      (...args: unknown[]) =>
        runInSpan(
          { name: `${subject} ${name}` },
          () => Reflect.apply(work, part, args) as Promise<unknown>,
        ),
    ]
  })
  return Object.fromEntries(spanned) as Part
}

/** Ends the active span, and those above it, no earlier than this promise. */
export function keepSpansOpen(until: Promise<unknown>): void {
  for (let open = active.getStore(); open !== undefined; open = open.outer) open.until.push(until)
}

/** Does work outside of the active span. */
export function runOutsideSpans<T>(work: () => T): T {
  // the first `run` makes every promise of the process more expensive
  return active.getStore() === undefined ? work() : active.run(undefined, work)
}

/** A function that runs in the span that is active now, whenever it is called. */
export function bindActiveSpan<Given extends readonly unknown[], T>(
  work: (...args: Given) => T,
): (...args: Given) => T {
  const open = active.getStore()
  return open === undefined ? work : (...args) => active.run(open, work, ...args)
}

/**
 * `fetch` in a span of its own, which it names to the server (`traceparent`, W3C). The span ends
 * with the head of the response, and names neither the path nor the query.
 */
export function createTracedFetch(send: typeof fetch = sendRequest): typeof fetch {
  return (input, init) => {
    if (findActiveSpan() === undefined) return send(input, init)
    const url = new URL(input instanceof Request ? input.url : input)
    const method = (init?.method ?? 'GET').toUpperCase()
    return runInSpan(
      { name: method, kind: 'client', attributes: describeRequest(method, url) },
      async (span) => {
        if (span === undefined) return send(input, init)
        const headers = new Headers(init?.headers)
        for (const [name, value] of Object.entries(span.headers())) headers.set(name, value)
        const response = await send(input, { ...init, headers })
        span.set({ 'http.response.status_code': response.status })
        if (response.status >= 400) span.fail(String(response.status))
        return response
      },
    )
  }
}

function describeRequest(method: string, { protocol, hostname, port }: URL): Attributes {
  return {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.scheme': protocol.slice(0, -1),
  }
}
