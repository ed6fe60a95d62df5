import { randomUUID } from 'node:crypto'
import {
  ROOT_CONTEXT,
  ValueType,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span as OtelSpan,
  type Tracer,
  defaultTextMapSetter,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator, ExportResultCode, type ExportResult } from '@opentelemetry/core'
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
  emptyResource,
} from '@opentelemetry/resources'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricProducer,
  type PushMetricExporter,
  AggregationTemporality,
  DataPointType,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Registry, MetricFamily } from '../telemetry/registry.js'
import type { OnSent, Telemetry, Span, SpanStart } from '../telemetry/spans.js'
import { timeLimit, withTimeout } from '../time.js'
import type { TelemetrySettings, OtlpProtocol } from './telemetry-settings.js'

/** The time limit of the last export, so that a hanging collector does not delay the exit. */
const closeMs = 3_000

export async function openOtlp(
  { traces, metrics, propagates, metricsEveryMs }: TelemetrySettings,
  { version, onSent }: { readonly version: string; readonly onSent: OnSent },
): Promise<Telemetry> {
  const own = {
    'service.name': 'farebox-service',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }
  const resource = resourceFromAttributes(own).merge(detectResources({ detectors: [envDetector] }))
  const tracing =
    traces &&
    (await openTraces(traces, {
      resource,
      propagates,
      report: createSendReporter('traces', onSent),
    }))
  const metering =
    metrics &&
    (await openMetrics(metrics, {
      resource,
      everyMs: metricsEveryMs,
      report: createSendReporter('metrics', onSent),
    }))
  return {
    startSpan: (start, caller) => tracing?.startSpan(start, caller),
    sendMetrics: (registry) => metering?.send(registry),
    close: async () => {
      const all = () => Promise.allSettled([tracing?.close(), metering?.close()])
      await withTimeout(timeLimit(closeMs), all).catch(() => undefined)
    },
  }
}

type TracesOptions = {
  readonly resource: Resource
  readonly propagates: boolean
  readonly report: Report
}

/**
 * Sends spans in batches. At most `OTEL_BSP_MAX_QUEUE_SIZE` (2,048) wait, and further ones are
 * dropped.
 */
async function openTraces(protocol: OtlpProtocol, { resource, propagates, report }: TracesOptions) {
  const exporter: SpanExporter = report(await openTraceExporter(protocol))
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const propagator = propagates ? new W3CTraceContextPropagator() : undefined
  const parts = { tracer: provider.getTracer('@farebox/service'), propagator }
  return {
    startSpan: (start: SpanStart, caller?: Headers): Span =>
      startOtelSpan(
        parts,
        start,
        caller && propagator ? propagator.extract(ROOT_CONTEXT, caller, fromHeaders) : ROOT_CONTEXT,
      ),
    close: () => provider.shutdown(),
  }
}

const fromHeaders = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}

async function openTraceExporter(protocol: OtlpProtocol): Promise<SpanExporter> {
  if (protocol === 'http/json')
    return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
}

type MetricsOptions = {
  readonly resource: Resource
  readonly everyMs: number
  readonly report: Report
}

/** Sends the metrics of registries, under the names that `/metrics` shows. */
async function openMetrics(protocol: OtlpProtocol, { resource, everyMs, report }: MetricsOptions) {
  const exporter: PushMetricExporter = report(await openMetricExporter(protocol))
  const registries: Pick<Registry, 'collect'>[] = []
  const startedAt = Date.now()
  const producer: MetricProducer = {
    collect: async () => {
      const found = await Promise.all(registries.map(({ collect }) => collect()))
      const metrics = toMetricData(found.flat(), { startedAt, now: Date.now() })
      return {
        errors: [],
        resourceMetrics: {
          resource: emptyResource(),
          scopeMetrics: [{ scope: { name: '@farebox/service' }, metrics }],
        },
      }
    },
  }
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: everyMs,
    metricProducers: [producer],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return {
    send: (registry: Pick<Registry, 'collect'>) => void registries.push(registry),
    close: () => provider.shutdown(),
  }
}

async function openMetricExporter(protocol: OtlpProtocol): Promise<PushMetricExporter> {
  if (protocol === 'http/json')
    return new (await import('@opentelemetry/exporter-metrics-otlp-http')).OTLPMetricExporter()
  return new (await import('@opentelemetry/exporter-metrics-otlp-proto')).OTLPMetricExporter()
}

/** In milliseconds since 1970. */
type Interval = { readonly startedAt: number; readonly now: number }

/** The metrics of a registry as those of OpenTelemetry, with the same names and labels. */
function toMetricData(
  families: readonly MetricFamily[],
  { startedAt, now }: Interval,
): MetricData[] {
  const times = { startTime: toHrTime(startedAt), endTime: toHrTime(now) }
  return families.map((family) => {
    const common = {
      // a unit would become a part of the name on the way to Prometheus
      descriptor: {
        name: family.name,
        description: family.help,
        unit: '',
        valueType: ValueType.DOUBLE,
      },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    }
    if (family.type === 'histogram') {
      const dataPoints = family.points.map(({ labels, counts, sum }) => {
        const buckets = { boundaries: [...family.bounds], counts: [...counts] }
        return {
          ...times,
          attributes: labels,
          value: { buckets, sum, count: counts.reduce((total, one) => total + one, 0) },
        }
      })
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }
    }
    const dataPoints = family.points.map(({ labels, value }) => ({
      ...times,
      attributes: labels,
      value,
    }))
    if (family.type === 'gauge')
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
  })
}

function toHrTime(milliseconds: number): [number, number] {
  return [Math.trunc(milliseconds / 1000), (milliseconds % 1000) * 1e6]
}

/** What all exporters of OpenTelemetry have in common. */
type Exporter<Items> = { export: (items: Items, done: (result: ExportResult) => void) => void }

export type Report = <Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>) => E

/** Makes an exporter say when its sending begins to fail, and when it works again. */
function createSendReporter(signal: 'traces' | 'metrics', onSent: OnSent): Report {
  let isFailing = false
  return (exporter) => {
    const send = exporter.export.bind(exporter)
    exporter.export = (items, done) =>
      send(items, (result) => {
        const fails = result.code !== ExportResultCode.SUCCESS
        if (fails !== isFailing) onSent(signal, fails ? describeError(result.error) : undefined)
        isFailing = fails
        done(result)
      })
    return exporter
  }
}

/** A message of the collector could quote the request, and with it the headers. */
function describeError(error: Error | undefined): string {
  if (error === undefined) return 'there is no reason given'
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number'))
    return `the collector: ${error.code}`
  return error.name
}

type SpanParts = {
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
function startOtelSpan(
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

/** A link only needs the ids. */
function linkTo({ trace_id: traceId, span_id: spanId }: Span): Link {
  return { context: { traceId, spanId, traceFlags: 0 } }
}
