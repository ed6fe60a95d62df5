import { expect, test } from 'vitest'
import { compose, isResendable, type Call, type Middleware, type Send } from './call.js'

const call: Call = { url: 'http://a.test/', method: 'GET', headers: new Headers() }

function noting(notes: string[], name: string): Middleware {
  return (next) => async (given) => {
    notes.push(`${name} in`)
    const response = await next(given)
    notes.push(`${name} out`)
    return response
  }
}

test('the first middleware is the outermost', async () => {
  const notes: string[] = []
  const send: Send = async () => {
    notes.push('send')
    return new Response('done')
  }
  const response = await compose(send, [noting(notes, 'first'), noting(notes, 'second')])(call)
  expect(await response.text()).toBe('done')
  expect(notes).toEqual(['first in', 'second in', 'send', 'second out', 'first out'])
})

test('without middleware the send stays what it was', () => {
  const send: Send = async () => new Response()
  expect(compose(send, [])).toBe(send)
})

test('a middleware may answer without sending, and may send twice', async () => {
  let sent = 0
  const send: Send = async () => new Response(String(++sent))
  const mute: Middleware = () => async () => new Response('muted')
  const twice: Middleware = (next) => async (given) => {
    await next(given)
    return next(given)
  }
  expect(await (await compose(send, [mute])(call)).text()).toBe('muted')
  expect(await (await compose(send, [twice])(call)).text()).toBe('2')
})

const resendable = {
  nothing: undefined,
  null: null,
  text: 'text',
  'an empty text': '',
  bytes: new Uint8Array(1),
  'a buffer': new ArrayBuffer(1),
  'a blob': new Blob(['x']),
  'a form': new FormData(),
  'search parameters': new URLSearchParams('a=1'),
  'a factory of streams': () => new ReadableStream(),
}

for (const [name, body] of Object.entries(resendable)) {
  test(`${name} can be sent again`, () => expect(isResendable({ body })).toBe(true))
}

test('a stream cannot be sent again', () => expect(isResendable({ body: new ReadableStream() })).toBe(false))

test('an async iterable, which Node takes for a body, cannot be sent again', () => {
  async function* body() {
    yield new Uint8Array(1)
  }
  expect(isResendable({ body: body() as unknown as BodyInit })).toBe(false)
})
