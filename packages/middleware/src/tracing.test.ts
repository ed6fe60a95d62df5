import type * as api from '@opentelemetry/api'
import { expect, expectTypeOf, test } from 'vitest'
import type { Call, Send } from './call.js'
import { traceHeaders, tracing, type TracingApi } from './tracing.js'

const call: Call = {
  url: 'http://api.test:4020/x?key=planted-secret',
  method: 'POST',
  headers: new Headers({ authorization: 'Bearer s3cret' }),
}

type Recorded = { name: string; parent: string; attributes: Record<string, unknown>; status?: number; ended: boolean }

function recorder() {
  const spans: Recorded[] = []
  const fake: TracingApi<string, ReturnType<typeof spanOf>> = {
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
          return spanOf(spans.length - 1)
        },
      }),
      setSpan: (_context, { place }) => `span ${place}`,
    },
  }
  function spanOf(place: number) {
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

function sending(answer: Response | Error = new Response()) {
  const sent: Record<string, string>[] = []
  const send: Send = async ({ headers }) => {
    sent.push(Object.fromEntries(headers))
    if (answer instanceof Error) throw answer
    return answer
  }
  return { sent, send }
}

test('the module of OpenTelemetry fits', () => {
  expectTypeOf<typeof api>().toExtend<TracingApi<api.Context, api.Span>>()
})

test('a send is a span below the active one, and its headers name that span', async () => {
  const { spans, fake } = recorder()
  const { sent, send } = sending(new Response(null, { status: 201 }))
  await tracing(fake)(send)(call)
  expect(sent).toEqual([{ authorization: 'Bearer s3cret', traceparent: 'span 0', tracestate: 'shop=1' }])
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

test('a response of 400 and more, and a send that rejects, end their span as failed', async () => {
  const { spans, fake } = recorder()
  await tracing(fake)(sending(new Response(null, { status: 503 })).send)(call)
  await expect(tracing(fake)(sending(new TypeError('cut')).send)(call)).rejects.toThrow('cut')
  expect(spans.map(({ status, ended, attributes }) => [status, ended, attributes['error.type']])).toEqual([
    [2, true, '503'],
    [2, true, 'TypeError'],
  ])
})

test('a repeated attempt of an operation says which one it is', async () => {
  const { spans, fake } = recorder()
  const operation = { id: 'getModel', method: 'GET', path: '/models/{id}', security: [], idempotent: true }
  await tracing(fake)(sending().send)({ ...call, operation, attempt: { callId: 1, number: 3 } })
  expect(spans[0]).toMatchObject({ name: 'getModel', attributes: { 'url.template': '/models/{id}', 'http.request.resend_count': 2 } })
})

test('a call that has a traceparent is sent as it is', async () => {
  const { spans, fake } = recorder()
  const { sent, send } = sending()
  const own = { ...call, headers: new Headers({ traceparent: 'its own' }) }
  await tracing(fake)(send)(own)
  await traceHeaders(() => ({ traceparent: 'another' }))(send)(own)
  expect(sent).toEqual([{ traceparent: 'its own' }, { traceparent: 'its own' }])
  expect(spans).toEqual([])
})

test('a hook gives each send the context of that moment, or none', async () => {
  const { sent, send } = sending()
  const contexts = [{ traceparent: 'one', tracestate: 'a=1' }, { traceparent: 'two' }, undefined]
  const traced = traceHeaders(() => contexts.shift())(send)
  for (const _ of [1, 2, 3]) await traced({ ...call, headers: new Headers() })
  expect(sent).toEqual([{ traceparent: 'one', tracestate: 'a=1' }, { traceparent: 'two' }, {}])
})
