import type { Call, Middleware } from './call.js'
import { shownUrl } from './shown-url.js'

type Attributes = Record<string, string | number>

/** The part of `Span` of `@opentelemetry/api` that is used. */
export type TracingSpan = {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number }): unknown
  end(): void
}

/**
 * The part of `@opentelemetry/api` that is used: pass the module itself. `Context` and `Span` are
 * its own types.
 */
export type TracingApi<Context, Span extends TracingSpan> = {
  readonly context: { active(): Context }
  readonly propagation: { inject(context: Context, carrier: Record<string, string>): void }
  readonly trace: {
    getTracer(name: string): { startSpan(name: string, options: { kind: number; attributes: Attributes }, context: Context): Span }
    setSpan(context: Context, span: Span): Context
  }
}

/** `traceparent` and `tracestate` (W3C Trace Context). */
export type TraceHeaders = { readonly traceparent?: string | undefined; readonly tracestate?: string | undefined }

/** SpanKind.CLIENT and SpanStatusCode.ERROR of `@opentelemetry/api`. */
const client = 2
const failed = 2

/**
 * Makes each send a span of kind CLIENT below the active one, and tells the server of it in
 * `traceparent` and `tracestate`, so that the spans of the server are below this one. Stand it
 * innermost: each attempt of `retry` is then a span. Names and attributes follow the HTTP semantic
 * conventions; no attribute has a query, a header or a body. A call that has a `traceparent` is
 * sent as it is.
 */
export function tracing<Context, Span extends TracingSpan>(api: TracingApi<Context, Span>): Middleware {
  const { context, propagation, trace } = api
  return (next) => async (call) => {
    if (call.headers.has('traceparent')) return next(call)
    const around = context.active()
    // the tracer may be registered after this middleware was made
    const span = trace
      .getTracer('@farebox/middleware')
      .startSpan(call.operation?.id ?? call.method, { kind: client, attributes: requestOf(call) }, around)
    const fail = (type: string) => {
      span.setAttributes({ 'error.type': type })
      span.setStatus({ code: failed })
    }
    try {
      const carrier: Record<string, string> = {}
      propagation.inject(trace.setSpan(around, span), carrier)
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
 * Sends the trace context that the function gives for each send, and makes no spans. For a context
 * that comes from elsewhere: a job, the variable TRACEPARENT, another tracer. A call that has a
 * `traceparent` is sent as it is, as is every call for which there is none.
 */
export function traceHeaders(give: () => TraceHeaders | undefined): Middleware {
  return (next) => async (call) => {
    const { traceparent, tracestate } = give() ?? {}
    if (traceparent === undefined || call.headers.has('traceparent')) return next(call)
    return next(withHeaders(call, { traceparent, ...(tracestate !== undefined && { tracestate }) }))
  }
}

function withHeaders(call: Call, added: Readonly<Record<string, string>>): Call {
  const headers = new Headers(call.headers)
  for (const [name, value] of Object.entries(added)) headers.set(name, value)
  return { ...call, headers }
}

function requestOf({ url, method, operation, attempt }: Call): Attributes {
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
