import { expect, test } from 'vitest'
import { isResendable } from './is-resendable.js'

const again = {
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

for (const [name, body] of Object.entries(again)) {
  test(`${name} can be sent again`, () => expect(isResendable({ body })).toBe(true))
}

test('a stream cannot be sent again', () => expect(isResendable({ body: new ReadableStream() })).toBe(false))

test('an async iterable, which Node takes for a body, cannot be sent again', () => {
  async function* body() {
    yield new Uint8Array(1)
  }
  expect(isResendable({ body: body() as unknown as BodyInit })).toBe(false)
})
