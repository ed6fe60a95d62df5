import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { expect, test } from 'vitest'
import { nativeCurves } from '../native/node.js'
import { deriveAddress, hasHighS, recoverAddress, signByNoble, signHash } from './signature.js'

const order = secp256k1.Point.Fn.ORDER
const toBytes = (number: bigint) => hexToBytes(number.toString(16).padStart(64, '0'))

test('libsecp256k1 signs if npm has a binary', () => {
  const hasBinary = ['linux-x64', 'darwin-arm64', 'win32-x64'].includes(
    `${process.platform}-${process.arch}`,
  )
  expect(nativeCurves.signSecp256k1 !== undefined).toBe(hasBinary)
})

test('libsecp256k1 and noble return the same bytes, with low s, for the address of the key', () => {
  const { signSecp256k1 = signByNoble } = nativeCurves
  // RFC 6979 reduces a hash modulo the order, on which libraries differ
  const hashes = fc
    .oneof(fc.bigInt(0n, order - 1n), fc.constantFrom(0n, 1n, order - 1n))
    .map(toBytes)
  const keys = fc
    .oneof(fc.bigInt(1n, order - 1n), fc.constantFrom(1n, 2n, order >> 1n, order - 1n))
    .map(toBytes)
  fc.assert(
    fc.property(hashes, keys, (hash, key) => {
      const signature = signHash(hash, key, signSecp256k1)
      expect([bytesToHex(key), signature]).toEqual([
        bytesToHex(key),
        signHash(hash, key, signByNoble),
      ])
      expect(hasHighS(signature)).toBe(false)
      expect(recoverAddress(hash, signature)).toBe(
        deriveAddress(secp256k1.getPublicKey(key, false)),
      )
    }),
    { numRuns: countRounds(100) },
  )
})
