import {
  startOtlpCollector,
  type CollectedSpan,
  type OtlpCollector,
} from '@farebox/testing/otlp-collector'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startService, type Harness, type TestWallet } from '../../test/harness.js'
import { scripts, startScripted, type ScriptedUpstream } from '../../test/scripted-upstream.js'
import type { VideoBackend } from '../domain/video/video-backend.js'
import { openTelemetry } from '../platform/otel/open-telemetry.js'
import type { Telemetry } from '../platform/telemetry/spans.js'
import { createUpstreams } from './create-upstreams.js'

const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`
const prompt = 'A prompt that is nobody else’s.'

const video: VideoBackend = { name: 'test', render: async () => new Uint8Array([1]) }

let collector: OtlpCollector
let upstream: ScriptedUpstream
/** The headers of the last request to the upstream. */
let given: Readonly<Record<string, unknown>>
let telemetry: Telemetry
let farebox: Harness
let wallet: TestWallet
let reports: unknown[]

beforeAll(async () => {
  upstream = await startScripted()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  collector = await startOtlpCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  vi.stubEnv('OTEL_SERVICE_NAME', 'speech-shop')
  upstream.script = (response, request) => {
    given = request.headers
    scripts.ok(response)
  }
  reports = []
})
afterEach(async () => {
  await farebox.service.close()
  await telemetry.close()
  collector.close()
})

async function serve() {
  telemetry = (await openTelemetry({ onSent: (...report) => reports.push(report) })) as Telemetry
  const upstreams = createUpstreams([
    {
      name: 'a',
      capability: 'speech',
      url: `${upstream.origin}/v1`,
      apiKey: 'upstream-s3cret',
      retries: 0,
    },
  ])
  farebox = await startService({ telemetry, upstreams, video })
  wallet = await farebox.richWallet()
}

async function post(
  id: 'createSpeech' | 'queueVideo',
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const signIn = await farebox.signIn(wallet)
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signIn, ...headers },
    body: JSON.stringify(body),
  }
  return { signIn, answer: await farebox.call(id, path, init) }
}

const speak = (headers?: Readonly<Record<string, string>>) =>
  post(
    'createSpeech',
    '/audio/speech',
    { model: 'tts-kokoro', voice: 'af_sky', input: prompt },
    headers,
  )

/** The spans of a trace, each after the one that it is below. */
function listPaths(traceId: string): readonly string[] {
  const spans = collector.spans.filter((span) => span.traceId === traceId)
  const toPath = (span: CollectedSpan): string => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent ? `${toPath(parent)} > ${span.name}` : span.name
  }
  return spans.map(toPath).toSorted()
}

it('makes one trace of a paid call, from its caller to the database and the upstream', async () => {
  await serve()
  const { answer: response, signIn } = await speak({ traceparent, tracestate: 'shop=1' })
  expect(response.status).toBe(200)
  await telemetry.close()

  const operation = 'POST /api/v1/audio/speech > operation createSpeech'
  expect(listPaths(caller.traceId)).toEqual([
    'POST /api/v1/audio/speech',
    operation,
    `${operation} > INSERT siwx_nonce`,
    `${operation} > backend speech`,
    `${operation} > backend speech > POST`,
    `${operation} > ledger capture`,
    `${operation} > ledger capture > UPDATE hold UPDATE account UPDATE api_key INSERT entry`,
    `${operation} > ledger hold`,
    `${operation} > ledger hold > UPDATE api_key UPDATE account INSERT hold`,
    `${operation} > ledger spendable`,
    `${operation} > ledger spendable > SELECT account`,
  ])
  // spans come in the order of their ends: the request lasts until its last byte is charged
  const inOrder = collector.spans
    .filter(({ traceId }) => traceId === caller.traceId)
    .map(({ name }) => name)
  expect(inOrder.slice(-3)).toEqual([
    'ledger capture',
    'operation createSpeech',
    'POST /api/v1/audio/speech',
  ])
  const [request] = collector.spans.filter(({ kind }) => kind === 2)
  expect(request).toMatchObject({
    service: 'speech-shop',
    parentSpanId: caller.spanId,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/audio/speech',
      'http.response.status_code': 200,
      'farebox.operation': 'createSpeech',
      'farebox.caller': 'wallet',
      'farebox.request_id': response.headers.get('x-request-id'),
    },
  })
  const toUpstream = collector.spans.find(({ name, kind }) => name === 'POST' && kind === 3)
  expect(given).toMatchObject({
    traceparent: `00-${caller.traceId}-${toUpstream?.spanId}-01`,
    tracestate: 'shop=1',
  })

  const everything = collector.requests.map(({ body }) => body.toString()).join('\n')
  for (const secret of [prompt, 'upstream-s3cret', wallet.address, ...Object.values(signIn)])
    expect(everything).not.toContain(secret)
})

it('records an upstream error in the spans of the upstream request and of the request that it fails', async () => {
  await serve()
  upstream.script = scripts['responds 503']
  expect((await speak({ traceparent })).answer.status).toBe(503)
  await telemetry.close()
  const failed = collector.spans.filter(
    ({ traceId, isFailed }) => traceId === caller.traceId && isFailed,
  )
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['POST', '503'],
    ['backend speech', 'SpeechError'],
    ['operation createSpeech', 'SpeechError'],
    ['POST /api/v1/audio/speech', 'MODEL_AT_CAPACITY'],
  ])
})

it('does not mark spans as errors when the caller is at fault', async () => {
  await serve()
  expect(
    (
      await post(
        'createSpeech',
        '/audio/speech',
        { model: 'tts-none', input: prompt },
        { traceparent },
      )
    ).answer.status,
  ).toBe(400)
  await telemetry.close()
  expect(listPaths(caller.traceId)).toContain('POST /api/v1/audio/speech')
  expect(
    collector.spans.filter(({ traceId, isFailed }) => traceId === caller.traceId && isFailed),
  ).toEqual([])
})

it('skips a trace that its caller does not sample, and passes that on to the upstream', async () => {
  await serve()
  await speak({ traceparent: traceparent.replace(/01$/, '00') })
  await telemetry.close()
  expect(listPaths(caller.traceId)).toEqual([])
  expect(given['traceparent']).toMatch(new RegExp(`^00-${caller.traceId}-[0-9a-f]{16}-00$`))
})

it('starts its own trace and does not propagate it to upstreams with OTEL_PROPAGATORS=none', async () => {
  vi.stubEnv('OTEL_PROPAGATORS', 'none')
  await serve()
  await speak({ traceparent })
  await telemetry.close()
  expect(listPaths(caller.traceId)).toEqual([])
  expect(collector.spans.map(({ name }) => name)).toContain('POST /api/v1/audio/speech')
  expect(given['traceparent']).toBeUndefined()
})

it('gives a video a trace of its own, with a link to the request that ordered it', async () => {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1')
  await serve()
  const body = {
    model: 'local-test-clip',
    prompt,
    duration: '5s',
    resolution: '480p',
    aspect_ratio: '16:9',
  }
  const { answer: response } = await post('queueVideo', '/video/queue', body, { traceparent })
  expect(response.status).toBe(200)
  await expect.poll(() => collector.spans.map(({ name }) => name)).toContain('video job')
  const [order] = collector.spans.filter(({ name }) => name === 'operation queueVideo')
  const [job] = collector.spans.filter(({ name }) => name === 'video job')
  expect(job?.traceId).not.toBe(caller.traceId)
  expect(job?.links.map(({ traceId, spanId }) => ({ traceId, spanId }))).toEqual([
    { traceId: order?.traceId, spanId: order?.spanId },
  ])
  expect(listPaths(job?.traceId ?? '')).toContain('video job > backend video')
  expect(listPaths(caller.traceId).filter((path) => path.includes('backend'))).toEqual([])
})

it('sends its metrics, with the names and values of /metrics', async () => {
  await serve()
  await speak()
  const printed = await farebox.metrics()
  await telemetry.close()
  expect(collector.metrics).toContainEqual({
    name: 'farebox_requests_total',
    attributes: { operation: 'createSpeech', status: '200' },
    value: 1,
  })
  expect(collector.metrics).toContainEqual({
    name: 'farebox_request_duration_seconds',
    attributes: { operation: 'createSpeech' },
    value: 1,
  })
  const names = new Set([...printed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  expect(new Set(collector.metrics.map(({ name }) => name))).toEqual(
    new Set([...names].filter((name) => hasSample(printed, name))),
  )
})

it('never waits for the collector: drops what it does not accept, and logs that once', async () => {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1')
  vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '2')
  vi.stubEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '1')
  collector.answer = () => undefined
  await serve()
  await expect.poll(() => collector.requests.length).toBeGreaterThan(0)
  // the exporter hangs from here on
  for (const _ of [1, 2, 3]) expect((await speak()).answer.status).toBe(200)
  expect(collector.requests.filter(({ path }) => path === '/v1/traces')).toHaveLength(1)
  vi.stubEnv('FAREBOX_TIMEOUT_SCALE', '0.001')
  await telemetry.close()
  // one that hung, and the two that waited
  expect(collector.spans.length).toBeLessThanOrEqual(3)
})

it('logs when sending starts to fail and when it recovers', async () => {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '1')
  vi.stubEnv('OTEL_METRICS_EXPORTER', 'none')
  const works = collector.answer
  collector.answer = (response) => response.writeHead(400).end('no: x-tenant')
  await serve()
  await speak()
  await expect.poll(() => reports).toEqual([['traces', 'the collector: 400']])
  collector.answer = works
  await speak()
  await expect
    .poll(() => reports)
    .toEqual([
      ['traces', 'the collector: 400'],
      ['traces', undefined],
    ])
})

function hasSample(printed: string, name: string | undefined): boolean {
  return new RegExp(`^${name}(?:_bucket)?[{ ]`, 'm').test(printed)
}
