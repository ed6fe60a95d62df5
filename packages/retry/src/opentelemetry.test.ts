import { createRequire } from 'node:module'
import { compose, type Call } from '@farebox/middleware'
import type { Meter, Tracer } from '@opentelemetry/api'
import type * as metrics from '@opentelemetry/sdk-metrics'
import type * as traces from '@opentelemetry/sdk-trace-base'
import { expect, expectTypeOf, test } from 'vitest'
import { observe } from './observe.js'
import { openTelemetry, type MeterLike, type TracerLike } from './opentelemetry.js'
import { retry } from './retry.js'

// their ES modules name files without extensions, which Node does not take
const load = createRequire(import.meta.url)
const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } = load(
  '@opentelemetry/sdk-metrics',
) as typeof metrics
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = load('@opentelemetry/sdk-trace-base') as typeof traces

const get: Call = { url: 'http://api.example:4020/models?key=planted-secret', method: 'GET', headers: new Headers() }

test('the real tracer and meter fit', () => {
  expectTypeOf<Tracer>().toExtend<TracerLike>()
  expectTypeOf<Meter>().toExtend<MeterLike>()
})

test('each request is a client span; a repeat says why, after which delay and whose', async () => {
  const exporter = new InMemorySpanExporter()
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test')
  const onEvent = openTelemetry({ tracer })
  const answers = [new Response(null, { status: 503 }), new Error('cut'), new Response('{}')]
  const send = compose(async () => {
    const answer = answers.shift() ?? new Response()
    if (answer instanceof Error) throw answer
    return answer
  }, [retry({ onEvent, random: () => 0.5, wait: async () => undefined }), observe(onEvent)])
  await send(get)
  const spans = exporter.getFinishedSpans()
  const request = {
    'http.request.method': 'GET',
    'url.full': 'http://api.example:4020/models',
    'server.address': 'api.example',
    'server.port': 4020,
  }
  expect(spans.map(({ name, kind, status, attributes }) => ({ name, kind, status: status.code, attributes }))).toEqual([
    { name: 'GET', kind: 2, status: 2, attributes: { ...request, 'http.response.status_code': 503, 'error.type': '503' } },
    {
      name: 'GET',
      kind: 2,
      status: 2,
      attributes: {
        ...request,
        'http.request.resend_count': 1,
        'farebox.retry.reason': 'status 503',
        'farebox.retry.delay_ms': 138,
        'farebox.retry.source': 'backoff',
        'error.type': 'Error',
      },
    },
    {
      name: 'GET',
      kind: 2,
      status: 0,
      attributes: {
        ...request,
        'http.request.resend_count': 2,
        'farebox.retry.reason': 'Error',
        'farebox.retry.delay_ms': 275,
        'farebox.retry.source': 'backoff',
        'http.response.status_code': 200,
      },
    },
  ])
})

test('durations, repeats, waits and what was given up are counted', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  const onEvent = openTelemetry({ meter: provider.getMeter('test') })
  const send = compose(async () => new Response(null, { status: 503 }), [retry({ onEvent, wait: async () => undefined }), observe(onEvent)])
  await send(get)
  onEvent({ type: 'wait', by: 'pace', callId: 1, attempt: 1, operation: 'createSpeech', reason: 'audio', delayMs: 1, source: 'server' })
  await reader.forceFlush()
  const written = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  const counts = written.map(({ descriptor, dataPoints }) => [
    descriptor.name,
    dataPoints.reduce((sum, { value }) => sum + (typeof value === 'number' ? value : value.count), 0),
  ])
  expect(Object.fromEntries(counts)).toEqual({
    'http.client.request.duration': 3,
    'farebox.client.retries': 2,
    'farebox.client.waits': 1,
    'farebox.client.give_ups': 1,
  })
  await provider.shutdown()
})
