import { shownUrl, type Call, type Middleware } from './call.js'

type Attributes = Record<string, string | number>

/** The used part of `Span` of `@opentelemetry/api`. */
export type TracingSpan = {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number }): unknown
  end(): void
}

/**
 * The used part of `@opentelemetry/api`: pass the module itself. `Context` and `Span` are its own
 * types.
 */
export type TracingApi<Context, Span extends TracingSpan> = {
  readonly context: { active(): Context }
  readonly propagation: { inject(context: Context, carrier: Record<string, string>): void }
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { kind: number; attributes: Attributes },
        context: Context,
      ): Span
    }
    setSpan(context: Context, span: Span): Context
  }
}

/** `traceparent` and `tracestate` (W3C Trace Context). */
export type TraceHeaders = {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** SpanKind.CLIENT and SpanStatusCode.ERROR of `@opentelemetry/api`. */
const kindClient = 2
const statusError = 2

/**
 * Creates a span of kind CLIENT for each send, as a child of the active span, and sends its context
 * in `traceparent` and `tracestate`, so that the spans of the server are its children. Place it
 * innermost: each attempt of `retry` is then a span. Names and attributes follow the HTTP semantic
 * conventions; no attribute has a query, a header or a body. A call that has a `traceparent` is
 * sent unchanged.
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api'
 * const tracedFetch = withMiddleware(fetch, retry(), tracing(api))
 * ```
 */
export function tracing<Context, Span extends TracingSpan>(
  api: TracingApi<Context, Span>,
): Middleware {
  const { context, propagation, trace } = api
  return (next) => async (call) => {
    if (call.headers.has('traceparent')) return next(call)
    const parent = context.active()
    // the tracer may be registered after this middleware was created
    const span = trace
      .getTracer('@farebox/middleware')
      .startSpan(
        call.operation?.id ?? call.method,
        { kind: kindClient, attributes: requestAttributes(call) },
        parent,
      )
    const fail = (type: string) => {
      span.setAttributes({ 'error.type': type })
      span.setStatus({ code: statusError })
    }
    try {
      const carrier: Record<string, string> = {}
      propagation.inject(trace.setSpan(parent, span), carrier)
      const response = await next(withHeaders(call, carrier))
      span.setAttributes({ 'http.response.status_code': response.status })
      if (response.status >= 400) fail(String(response.status))
      return response
    } catch (error) {
      fail(error instanceof Error ? error.name : 'Error')
      throw error
    } finally {
      span.end()
    }
  }
}

/**
 * Sends the trace context that the function returns for each send, and creates no spans. For a
 * context that comes from elsewhere: a job, the variable TRACEPARENT, another tracer. A call is
 * sent unchanged if it has a `traceparent`, or if the function returns none.
 *
 * @example
 * ```ts
 * const { TRACEPARENT: traceparent } = process.env
 * const tracedFetch = withMiddleware(fetch, traceHeaders(() => ({ traceparent })))
 * ```
 */
export function traceHeaders(getHeaders: () => TraceHeaders | undefined): Middleware {
  return (next) => async (call) => {
    const { traceparent, tracestate } = getHeaders() ?? {}
    if (traceparent === undefined || call.headers.has('traceparent')) return next(call)
    return next(withHeaders(call, { traceparent, ...(tracestate !== undefined && { tracestate }) }))
  }
}

function withHeaders(call: Call, additions: Readonly<Record<string, string>>): Call {
  const headers = new Headers(call.headers)
  for (const [name, value] of Object.entries(additions)) headers.set(name, value)
  return { ...call, headers }
}

function requestAttributes({ url, method, operation, attempt }: Call): Attributes {
  const { hostname, port } = URL.canParse(url) ? new URL(url) : { hostname: undefined, port: '' }
  return {
    'http.request.method': method,
    'url.full': shownUrl(url),
    ...(hostname !== undefined && { 'server.address': hostname }),
    ...(port !== '' && { 'server.port': Number(port) }),
    ...(operation && { 'farebox.operation': operation.id, 'url.template': operation.path }),
    ...(attempt && attempt.number > 1 && { 'http.request.resend_count': attempt.number - 1 }),
  }
}
