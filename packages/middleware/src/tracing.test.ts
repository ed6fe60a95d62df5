import type * as api from '@opentelemetry/api'
import { expect, expectTypeOf, test } from 'vitest'
import type { Call, Send } from './call.js'
import { traceHeaders, tracing, type TracingApi } from './tracing.js'

const call: Call = {
  url: 'http://api.test:4020/x?key=planted-secret',
  method: 'POST',
  headers: new Headers({ authorization: 'Bearer s3cret' }),
}

type RecordedSpan = {
  name: string
  parent: string
  attributes: Record<string, unknown>
  status?: number
  ended: boolean
}

function createRecorder() {
  const spans: RecordedSpan[] = []
  const fake: TracingApi<string, ReturnType<typeof createSpan>> = {
    context: { active: () => 'the context of the caller' },
    propagation: {
      inject: (context, carrier) => {
        carrier['traceparent'] = context
        carrier['tracestate'] = 'shop=1'
      },
    },
    trace: {
      getTracer: () => ({
        startSpan: (name, { kind, attributes }, parent) => {
          spans.push({ name, parent, attributes: { kind, ...attributes }, ended: false })
          return createSpan(spans.length - 1)
        },
      }),
      setSpan: (_context, { place }) => `span ${place}`,
    },
  }
  function createSpan(place: number) {
    const span = spans[place]
    if (!span) throw new Error('There is no such span.')
    return {
      place,
      setAttributes: (more: Record<string, unknown>) => Object.assign(span.attributes, more),
      setStatus: ({ code }: { code: number }) => (span.status = code),
      end: () => (span.ended = true),
    }
  }
  return { spans, fake }
}

function createSend(response: Response | Error = new Response()) {
  const sent: Record<string, string>[] = []
  const send: Send = async ({ headers }) => {
    sent.push(Object.fromEntries(headers))
    if (response instanceof Error) throw response
    return response
  }
  return { sent, send }
}

test('the module of OpenTelemetry matches TracingApi', () => {
  expectTypeOf<typeof api>().toExtend<TracingApi<api.Context, api.Span>>()
})

test('a send is a child of the active span, and its headers name it', async () => {
  const { spans, fake } = createRecorder()
  const { sent, send } = createSend(new Response(null, { status: 201 }))
  await tracing(fake)(send)(call)
  expect(sent).toEqual([
    { authorization: 'Bearer s3cret', traceparent: 'span 0', tracestate: 'shop=1' },
  ])
  expect(spans).toEqual([
    {
      name: 'POST',
      parent: 'the context of the caller',
      attributes: {
        kind: 2,
        'http.request.method': 'POST',
        'url.full': 'http://api.test:4020/x',
        'server.address': 'api.test',
        'server.port': 4020,
        'http.response.status_code': 201,
      },
      ended: true,
    },
  ])
  expect(call.headers.has('traceparent')).toBe(false)
})

test('a status of 400 or more, and a send that rejects, end the span with an error', async () => {
  const { spans, fake } = createRecorder()
  await tracing(fake)(createSend(new Response(null, { status: 503 })).send)(call)
  await expect(tracing(fake)(createSend(new TypeError('cut')).send)(call)).rejects.toThrow('cut')
  expect(
    spans.map(({ status, ended, attributes }) => [status, ended, attributes['error.type']]),
  ).toEqual([
    [2, true, '503'],
    [2, true, 'TypeError'],
  ])
})

test('a retry of an operation states its resend count', async () => {
  const { spans, fake } = createRecorder()
  const operation = {
    id: 'getModel',
    method: 'GET',
    path: '/models/{id}',
    security: [],
    idempotent: true,
  }
  await tracing(fake)(createSend().send)({ ...call, operation, attempt: { callId: 1, number: 3 } })
  expect(spans[0]).toMatchObject({
    name: 'getModel',
    attributes: { 'url.template': '/models/{id}', 'http.request.resend_count': 2 },
  })
})

test('a call with a traceparent is sent unchanged', async () => {
  const { spans, fake } = createRecorder()
  const { sent, send } = createSend()
  const own = { ...call, headers: new Headers({ traceparent: 'its own' }) }
  await tracing(fake)(send)(own)
  await traceHeaders(() => ({ traceparent: 'another' }))(send)(own)
  expect(sent).toEqual([{ traceparent: 'its own' }, { traceparent: 'its own' }])
  expect(spans).toEqual([])
})

test('traceHeaders sends the current context with each send, or none', async () => {
  const { sent, send } = createSend()
  const contexts = [{ traceparent: 'one', tracestate: 'a=1' }, { traceparent: 'two' }, undefined]
  const traced = traceHeaders(() => contexts.shift())(send)
  for (const _ of [1, 2, 3]) await traced({ ...call, headers: new Headers() })
  expect(sent).toEqual([{ traceparent: 'one', tracestate: 'a=1' }, { traceparent: 'two' }, {}])
})
