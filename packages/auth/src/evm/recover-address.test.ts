import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as fc from 'fast-check'
import { recoverAddress as viemRecover } from 'viem'
import { countRounds } from '@farebox/testing/rounds'
import { expect, test } from 'vitest'
import { recoverAddressTwice } from '../../test/curves.js'
import { nativeCurves } from '../native/node.js'
import { deriveAddress, recoverAddressWith } from './signature.js'

const order = secp256k1.Point.Fn.ORDER
const prime = secp256k1.Point.Fp.ORDER
const toWord = (number: bigint) => number.toString(16).padStart(64, '0')
const toHex = (r: bigint, s: bigint, v: number) =>
  `0x${toWord(r)}${toWord(s)}${v.toString(16).padStart(2, '0')}` as const
const hash = new Uint8Array(32).fill(5)

/** r, s and the recovery bit of a signature with low s. */
function sign(message: Uint8Array, secret: bigint) {
  const signature = secp256k1.sign(message, hexToBytes(toWord(secret)), {
    prehash: false,
    format: 'recovered',
  })
  const { r, s, recovery = 0 } = secp256k1.Signature.fromBytes(signature, 'recovered')
  return { r, s, bit: recovery }
}

test("uses libsecp256k1 if npm has a binary, and Node's Ed25519 everywhere", () => {
  const hasBinary = ['linux-x64', 'darwin-arm64', 'win32-x64'].includes(
    `${process.platform}-${process.arch}`,
  )
  expect(nativeCurves.recoverPublicKey !== undefined).toBe(hasBinary)
  expect(nativeCurves.holdsEd25519).toBeDefined()
})

test('every form of v recovers the address of the signer, like viem', async () => {
  const secret = 42n
  const { r, s, bit } = sign(hash, secret)
  const address = deriveAddress(secp256k1.getPublicKey(hexToBytes(toWord(secret)), false))
  expect(recoverAddressTwice(hash, toHex(r, s, bit))).toBe(address)
  expect(recoverAddressTwice(hash, toHex(r, s, bit + 27))).toBe(address)
  expect(await viemRecover({ hash, signature: toHex(r, s, bit + 27) })).toBe(address)
})

test('is rejected before any library is called', () => {
  const calls = () => expect.unreachable('a library was asked')
  const { r, s, bit } = sign(hash, 42n)
  const rejected = [
    toHex(r, order - s, 1 - bit),
    toHex(r, (order >> 1n) + 1n, 27),
    ...[2, 3, 26, 29, 30, 35, 255].map((v) => toHex(r, s, v)),
    toHex(r, s, bit).slice(0, -2),
    `${toHex(r, s, bit)}00`,
    '0x',
  ]
  for (const signature of rejected)
    expect(recoverAddressWith(calls, hash, signature)).toBeUndefined()
})

test('recovers no address from an r or s outside of the order', () => {
  const { r, s } = sign(hash, 42n)
  for (const [odd, even] of [
    [0n, s],
    [r, 0n],
    [0n, 0n],
    [order, s],
    [order + 1n, s],
    [prime, s],
    [2n ** 256n - 1n, s],
  ] as const) {
    for (const v of [0, 1, 27, 28])
      expect(recoverAddressTwice(hash, toHex(odd, even, v))).toBeUndefined()
  }
})

test('recovers no address from a key at infinity', () => {
  // R = G and s = 1: the key is (G - hash * G) / r
  const { x, y } = secp256k1.Point.BASE.toAffine()
  expect(recoverAddressTwice(hexToBytes(toWord(1n)), toHex(x, 1n, Number(y & 1n)))).toBeUndefined()
  expect(recoverAddressTwice(hexToBytes(toWord(2n)), toHex(x, 1n, Number(y & 1n)))).toMatch(
    /^0x[\da-fA-F]{40}$/,
  )
})

test('libsecp256k1 and noble agree on random input', () => {
  const near = [0n, 1n, order >> 1n, order - 1n, order, prime - order, prime, 2n ** 256n - 1n]
  const odd = fc.oneof(
    fc.constantFrom(...near),
    fc
      .tuple(fc.constantFrom(...near), fc.bigInt(-3n, 3n))
      .map(([value, by]) => BigInt.asUintN(256, value + by)),
    fc.bigInt(0n, 2n ** 256n - 1n),
  )
  const hashes = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    odd.map((value) => hexToBytes(toWord(value))),
  )
  const inputs = fc.record(
    { r: odd, s: odd, v: fc.oneof(fc.constantFrom(0, 1, 27, 28), fc.nat(255)), flip: fc.nat(511) },
    { requiredKeys: [] },
  )
  let recovered = 0
  fc.assert(
    fc.property(
      hashes,
      fc.bigInt(1n, order - 1n),
      inputs,
      (message, secret, { flip, ...changed }) => {
        const { r, s, bit } = sign(message, secret)
        const parts = { r, s, v: bit + 27, ...changed }
        const flipped =
          BigInt(`0x${toWord(parts.r)}${toWord(parts.s)}`) ^
          (flip === undefined ? 0n : 1n << BigInt(flip))
        const signature = toHex(flipped >> 256n, BigInt.asUintN(256, flipped), parts.v)
        const address = recoverAddressTwice(message, signature)
        if (address !== undefined) recovered++
        const isUntouched = flip === undefined && Object.keys(changed).length === 0
        const signer = deriveAddress(secp256k1.getPublicKey(hexToBytes(toWord(secret)), false))
        if (isUntouched)
          expect([bytesToHex(message), address]).toEqual([bytesToHex(message), signer])
      },
    ),
    { numRuns: countRounds(300) },
  )
  expect(recovered).toBeGreaterThan(countRounds(300) / 10)
})
