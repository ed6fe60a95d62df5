import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span as OtelSpan,
  type Tracer,
  defaultTextMapSetter,
} from '@opentelemetry/api'
import type { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Span, SpanStart } from '../telemetry/spans.js'

export type SpanParts = {
  readonly tracer: Tracer
  /** Writes the headers for upstreams. Undefined: upstreams learn of no trace. */
  readonly propagator: W3CTraceContextPropagator | undefined
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const

/** Starts a span of OpenTelemetry below the one in the context. */
export function startOtelSpan(
  parts: SpanParts,
  { name, kind, attributes = {}, links = [] }: SpanStart,
  parent: Context,
): Span {
  const options = {
    kind: kind ? kinds[kind] : SpanKind.INTERNAL,
    attributes,
    links: links.map(linkTo),
  }
  return wrapSpan(parts, parts.tracer.startSpan(name, options, parent))
}

function wrapSpan(parts: SpanParts, span: OtelSpan): Span {
  const { traceId, spanId } = span.spanContext()
  const context = trace.setSpan(ROOT_CONTEXT, span)
  const headers: Record<string, string> = {}
  parts.propagator?.inject(context, headers, defaultTextMapSetter)
  return {
    trace_id: traceId,
    span_id: spanId,
    child: (start) => startOtelSpan(parts, start, context),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (type) =>
      void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
    headers: () => headers,
  }
}

/** A link needs the ids alone. */
function linkTo({ trace_id: traceId, span_id: spanId }: Span): Link {
  return { context: { traceId, spanId, traceFlags: 0 } }
}
