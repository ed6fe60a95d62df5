import * as api from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFarebox } from 'farebox'
import { createClient } from '@farebox/client'
import { traceHeaders, tracing, withMiddleware } from '@farebox/middleware'
import { createService, createUpstreams, openTelemetry, type Service } from '@farebox/service'
import {
  startOtlpCollector,
  type CollectedSpan,
  type OtlpCollector,
} from '@farebox/testing/otlp-collector'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const baseUrl = 'http://127.0.0.1:4020/api/v1'
const apiKey = 'tracing-admin-key'

let collector: OtlpCollector
let provider: BasicTracerProvider
let telemetry: Awaited<ReturnType<typeof openTelemetry>>
let service: Service
let traceparent: string | undefined

const upstream = createServer((request, response) => {
  traceparent = request.headers['traceparent'] as string | undefined
  response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('ID3')
})
const toService = ((url: string, init?: RequestInit) =>
  service.fetch(new Request(url, init))) as typeof fetch

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  collector = await startOtlpCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1')
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const exporter = new OTLPTraceExporter({ url: `${collector.url}/v1/traces` })
  provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  api.trace.setGlobalTracerProvider(provider)
  telemetry = await openTelemetry()
  const { port } = upstream.address() as AddressInfo
  service = await createService({
    origin: 'http://127.0.0.1:4020',
    adminKey: apiKey,
    upstreams: createUpstreams([
      { name: 'a', capability: 'speech', url: `http://127.0.0.1:${port}/v1` },
    ]),
    ...(telemetry && { telemetry }),
  })
})
afterAll(async () => {
  await service.close()
  await telemetry?.close()
  await provider.shutdown()
  api.trace.disable()
  api.context.disable()
  api.propagation.disable()
  collector.close()
  upstream.close()
})

/** The spans of a trace, once that of the request at the service has arrived, the last of them. */
async function findSpans(traceId: string) {
  const found = () => collector.spans.filter((span) => span.traceId === traceId)
  await expect.poll(() => found().map(({ kind }) => kind)).toContain(2)
  return found()
}

/** Does the work in a span of the application, and returns the spans of its trace. */
async function runInSpan(work: () => Promise<unknown>) {
  const { traceId } = await api.trace
    .getTracer('shop')
    .startActiveSpan('read the news', async (span) => {
      await work()
      span.end()
      return span.spanContext()
    })
  await provider.forceFlush()
  return findSpans(traceId)
}

/** The names of a span and of those above it, the outermost first. */
function findSpanPath(spans: readonly CollectedSpan[], name: string | RegExp): readonly string[] {
  const names: string[] = []
  let at = spans.find((span) =>
    typeof name === 'string' ? span.name === name : name.test(span.name),
  )
  while (at !== undefined) {
    names.unshift(at.name)
    at = spans.find(({ spanId }) => spanId === at?.parentSpanId)
  }
  return names
}

it('follows a paid call of the SDK from the application to the ledger, the database and the upstream', async () => {
  const farebox = createFarebox({ baseUrl, apiKey, fetch: withMiddleware(toService, tracing(api)) })
  const spans = await runInSpan(async () => {
    const speech = await farebox.createSpeech({
      input: 'The tram is late.',
      model: 'tts-kokoro',
      voice: 'af_sky',
    })
    expect(Buffer.from(await speech.arrayBuffer()).toString()).toBe('ID3')
  })
  const operation = ['read the news', 'POST', 'POST /api/v1/audio/speech', 'operation createSpeech']
  expect(findSpanPath(spans, 'operation createSpeech')).toEqual(operation)
  expect(findSpanPath(spans, /INSERT hold/)).toEqual([
    ...operation,
    'ledger hold',
    expect.stringContaining('INSERT hold'),
  ])
  expect(findSpanPath(spans, /INSERT entry/)).toEqual([
    ...operation,
    'ledger capture',
    expect.stringContaining('INSERT entry'),
  ])
  const asked = spans.find(({ spanId }) => spanId === traceparent?.split('-')[2])
  expect(asked && [...findSpanPath(spans, 'backend speech'), asked.name]).toEqual([
    ...operation,
    'backend speech',
    'POST',
  ])
  expect(asked?.parentSpanId).toBe(spans.find(({ name }) => name === 'backend speech')?.spanId)
})

it('follows a call of the client, whose span is named for its operation', async () => {
  const client = createClient({ baseUrl, fetch: toService, middleware: [tracing(api)] })
  const spans = await runInSpan(() => client.listModels({}))
  expect(findSpanPath(spans, 'operation listModels')).toEqual([
    'read the news',
    'listModels',
    'GET /api/v1/models',
    'operation listModels',
  ])
})

it('continues a trace from a hook without its own span', async () => {
  const fromJob = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const client = createClient({
    baseUrl,
    fetch: toService,
    middleware: [traceHeaders(() => fromJob)],
  })
  await client.listModels({})
  const spans = await findSpans('0af7651916cd43dd8448eb211c80319c')
  expect(spans.find(({ kind }) => kind === 2)).toMatchObject({
    name: 'GET /api/v1/models',
    parentSpanId: 'b7ad6b7169203331',
  })
})
