import { expect, test } from 'vitest'
import { compose, isResendable, type Call, type Middleware, type Send } from './call.js'

const call: Call = { url: 'http://a.test/', method: 'GET', headers: new Headers() }

function createLogger(notes: string[], name: string): Middleware {
  return (next) => async (received) => {
    notes.push(`${name} in`)
    const response = await next(received)
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
  const response = await compose(send, [
    createLogger(notes, 'first'),
    createLogger(notes, 'second'),
  ])(call)
  expect(await response.text()).toBe('done')
  expect(notes).toEqual(['first in', 'second in', 'send', 'second out', 'first out'])
})

test('without middleware compose returns the send itself', () => {
  const send: Send = async () => new Response()
  expect(compose(send, [])).toBe(send)
})

test('a middleware may respond without sending, and may send twice', async () => {
  let sent = 0
  const send: Send = async () => new Response(String(++sent))
  const mute: Middleware = () => async () => new Response('muted')
  const twice: Middleware = (next) => async (received) => {
    await next(received)
    return next(received)
  }
  expect(await (await compose(send, [mute])(call)).text()).toBe('muted')
  expect(await (await compose(send, [twice])(call)).text()).toBe('2')
})

const resendable = {
  nothing: undefined,
  null: null,
  'a string': 'text',
  'an empty string': '',
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

test('a stream cannot be sent again', () =>
  expect(isResendable({ body: new ReadableStream() })).toBe(false))

test('an async iterable, which Node accepts as a body, cannot be sent again', () => {
  async function* body() {
    yield new Uint8Array(1)
  }
  expect(isResendable({ body: body() as unknown as BodyInit })).toBe(false)
})
