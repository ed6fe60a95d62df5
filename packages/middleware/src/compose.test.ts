import { expect, test } from 'vitest'
import type { Call, Middleware, Send } from './call.js'
import { compose } from './compose.js'

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
