import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createResponseCipher, type CipherOptions } from './response-cipher.js'

const options: CipherOptions = {
  secret: 's',
  key: 'order-1',
  account: '0xa',
  operation: 'createSpeech',
  salt: randomBytes(32),
}
const text = Buffer.from('The conductor whispers')

it('decrypts a part only with its own number and otherwise identical inputs', () => {
  const cipher = createResponseCipher(options)
  const encrypted = cipher.encrypt(1, text)
  expect(encrypted).toHaveLength(text.length + 16)
  expect(createResponseCipher(options).decrypt(1, encrypted)).toEqual(text)
  expect(cipher.decrypt(2, encrypted)).toBeUndefined()
  for (const other of [
    { secret: 't' },
    { key: 'order-2' },
    { account: '0xb' },
    { operation: 'parseText' },
    { salt: randomBytes(32) },
  ])
    expect(
      createResponseCipher({ ...options, ...other }).decrypt(1, encrypted),
      Object.keys(other)[0],
    ).toBeUndefined()
})

it('rejects a part that was changed or truncated', () => {
  const cipher = createResponseCipher(options)
  const encrypted = cipher.encrypt(1, text)
  for (let index = 0; index < encrypted.length; index++) {
    const changed = Uint8Array.from(encrypted, (byte, at) => (at === index ? byte ^ 1 : byte))
    expect(cipher.decrypt(1, changed)).toBeUndefined()
    expect(cipher.decrypt(1, encrypted.subarray(0, index))).toBeUndefined()
  }
})
