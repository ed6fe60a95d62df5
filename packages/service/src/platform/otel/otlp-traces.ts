import { ROOT_CONTEXT } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Span, SpanStart } from '../telemetry/spans.js'
import { startOtelSpan } from './otel-span.js'
import type { Report } from './reported.js'
import type { OtlpProtocol } from './telemetry-settings.js'

export type TracesOptions = { readonly resource: Resource; readonly propagates: boolean; readonly report: Report }

/**
 * Sends spans in batches. At most `OTEL_BSP_MAX_QUEUE_SIZE` (2,048) wait, and further ones are
 * dropped.
 */
export async function openTraces(protocol: OtlpProtocol, { resource, propagates, report }: TracesOptions) {
  const exporter: SpanExporter = report(await openExporter(protocol))
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] })
  const propagator = propagates ? new W3CTraceContextPropagator() : undefined
  const parts = { tracer: provider.getTracer('@farebox/service'), propagator }
  return {
    startSpan: (start: SpanStart, caller?: Headers): Span =>
      startOtelSpan(parts, start, caller && propagator ? propagator.extract(ROOT_CONTEXT, caller, fromHeaders) : ROOT_CONTEXT),
    close: () => provider.shutdown(),
  }
}

const fromHeaders = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}

async function openExporter(protocol: OtlpProtocol): Promise<SpanExporter> {
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
}
