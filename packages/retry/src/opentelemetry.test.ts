import { createRequire } from 'node:module'
import { compose, type Call } from '@farebox/middleware'
import type { Meter } from '@opentelemetry/api'
import type * as metrics from '@opentelemetry/sdk-metrics'
import { expect, expectTypeOf, test } from 'vitest'
import { observe } from './events.js'
import { openTelemetry, type MeterLike } from './opentelemetry.js'
import { retry } from './retry.js'

// its ES modules import files without extensions, which Node rejects
const load = createRequire(import.meta.url)
const {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} = load('@opentelemetry/sdk-metrics') as typeof metrics

const get: Call = {
  url: 'http://api.example:4020/models?key=planted-secret',
  method: 'GET',
  headers: new Headers(),
}

test('accepts a real meter', () => {
  expectTypeOf<Meter>().toExtend<MeterLike>()
})

test('records durations, retries, waits and give-ups', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  const onEvent = openTelemetry({ meter: provider.getMeter('test') })
  const send = compose(
    async () => new Response(null, { status: 503 }),
    [retry({ onEvent, wait: async () => undefined }), observe(onEvent)],
  )
  await send(get)
  onEvent({
    type: 'wait',
    by: 'rateLimit',
    callId: 1,
    attempt: 1,
    operation: 'createSpeech',
    reason: 'audio',
    delayMs: 1,
    source: 'server',
  })
  await reader.forceFlush()
  const exported = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  const counts = exported.map(({ descriptor, dataPoints }) => [
    descriptor.name,
    dataPoints.reduce(
      (sum, { value }) => sum + (typeof value === 'number' ? value : value.count),
      0,
    ),
  ])
  expect(Object.fromEntries(counts)).toEqual({
    'http.client.request.duration': 3,
    'farebox.client.retries': 2,
    'farebox.client.waits': 1,
    'farebox.client.give_ups': 1,
  })
  await provider.shutdown()
})
