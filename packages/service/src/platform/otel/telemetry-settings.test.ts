import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openTelemetry } from './open-telemetry.js'
import { readTelemetrySettings } from './telemetry-settings.js'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
const both = {
  traces: 'http/protobuf',
  metrics: 'http/protobuf',
  propagates: true,
  metricsEveryMs: 60_000,
}

it.each<[string, Record<string, string>, object | undefined]>([
  ['nothing without an endpoint', { OTEL_SERVICE_NAME: 'shop' }, undefined],
  ['nothing with an empty one', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
  ['both signals', endpoint, both],
  ['nothing when the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [
    'one signal by its own endpoint',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://a' },
    { ...both, traces: undefined },
  ],
  [
    'one signal when the other has no exporter',
    { ...endpoint, OTEL_METRICS_EXPORTER: 'none' },
    { ...both, metrics: undefined },
  ],
  [
    'the protocol of a signal before that of both',
    {
      ...endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
    },
    { ...both, traces: 'http/json', metrics: undefined },
  ],
  ['no propagation', { ...endpoint, OTEL_PROPAGATORS: 'none' }, { ...both, propagates: false }],
  ['propagation among others', { ...endpoint, OTEL_PROPAGATORS: 'baggage, tracecontext' }, both],
  [
    'its own interval',
    { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: '5000' },
    { ...both, metricsEveryMs: 5000 },
  ],
])('sends %s', (_what, environment, settings) => {
  expect(readTelemetrySettings(environment)).toEqual(settings)
})

it.each<[Record<string, string>, string]>([
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; expected http/protobuf or http/json.',
  ],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"; expected otlp or none.'],
  [
    { OTEL_METRIC_EXPORT_INTERVAL: '0' },
    'OTEL_METRIC_EXPORT_INTERVAL is "0"; expected milliseconds, such as 60000.',
  ],
])('rejects %j', (environment, message) => {
  expect(() => readTelemetrySettings({ ...endpoint, ...environment })).toThrow(
    new RangeError(message),
  )
})

it('sends nothing without an endpoint', async () => {
  expect(await openTelemetry({ environment: {} })).toBeUndefined()
})

it('imports OpenTelemetry in one folder only, and not when the service starts', () => {
  const source = new URL('../../', import.meta.url)
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const listImports = (file: string) =>
    [
      ...readFileSync(new URL(file, source), 'utf8').matchAll(/^import (?!type).*from '(.*)'$/gm),
    ].map(([, from = '']) => from)
  const outside = files.filter((file) => !file.startsWith('platform/otel/')).flatMap(listImports)
  expect([...new Set(outside.filter((from) => /opentelemetry|\/otel\//.test(from)))]).toEqual([
    '../platform/otel/open-telemetry.js',
  ])
  expect(listImports('platform/otel/open-telemetry.ts')).toEqual(['./telemetry-settings.js'])
  expect(listImports('platform/otel/telemetry-settings.ts')).toEqual([])
})
