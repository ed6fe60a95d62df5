import { keccak_256 } from '@noble/hashes/sha3.js'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from './address.js'

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('the empty input and "abc" have their known hashes', () => {
  expect(toHex(keccak256(new Uint8Array()))).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  expect(toHex(keccak256(new TextEncoder().encode('abc')))).toBe(
    '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
  )
})

test('equals the hash of @noble/hashes, at and around the length of a block', () => {
  for (const length of [135, 136, 137, 271, 272, 273]) {
    const bytes = new Uint8Array(length).fill(length)
    expect(toHex(keccak256(bytes))).toBe(toHex(keccak_256(bytes)))
  }
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      (bytes) => toHex(keccak256(bytes)) === toHex(keccak_256(bytes)),
    ),
  )
})
