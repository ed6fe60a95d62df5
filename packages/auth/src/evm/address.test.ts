import * as fc from 'fast-check'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { checksumAddress, isAddress, keccak256 } from './address.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

// the examples of EIP-55
const published = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

for (const address of published) {
  test(`${address} is an example of EIP-55`, () => {
    expect(checksumAddress(address.toLowerCase())).toBe(address)
    expect(isAddress(address)).toBe(true)
  })
}

test('rejects an address with one letter in the wrong case', () =>
  expect(isAddress('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe(false))

test('equals the address in viem', () => {
  const address = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const)
  fc.assert(fc.property(address, (value) => checksumAddress(value) === getAddress(value)))
})

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
