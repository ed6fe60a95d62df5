import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import * as fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { afterEach, expect, test, vi } from 'vitest'
import { nativeCurves as node } from './node.js'
import { nativeCurves as web } from './web.js'
import { createEd25519Signer } from './ed25519.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('Node and noble return the same bytes', async () => {
  const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
  await fc.assert(
    fc.asyncProperty(seeds, fc.uint8Array({ maxLength: 300 }), async (seed, message) => {
      const signature = bytesToHex(ed25519.sign(message, seed))
      expect(bytesToHex(await createEd25519Signer(seed, node)(message))).toBe(signature)
      expect(bytesToHex(await createEd25519Signer(seed, {})(message))).toBe(signature)
    }),
    { numRuns: countRounds(50) },
  )
})

// RFC 8032, section 7.1, test 3
const seed = hexToBytes('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7')
const signature =
  '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'

test.each([
  ['node:crypto', node],
  ['WebCrypto', web],
  ['noble', {}],
])('%s returns the signature of RFC 8032', async (_name, curves) => {
  expect(bytesToHex(await createEd25519Signer(seed, curves)(hexToBytes('af82')))).toBe(signature)
})

test('WebCrypto signs if it has Ed25519, with one key that cannot be exported', async () => {
  const subtle = {
    importKey: vi.spyOn(crypto.subtle, 'importKey'),
    sign: vi.spyOn(crypto.subtle, 'sign'),
  }
  const sign = createEd25519Signer(seed, web)
  expect(subtle.importKey).not.toHaveBeenCalled()
  await Promise.all([sign(Uint8Array.of(1)), sign(Uint8Array.of(2))])
  expect(
    subtle.importKey.mock.calls.map(([, , algorithm, extractable]) => [algorithm, extractable]),
  ).toEqual([['Ed25519', false]])
  expect(subtle.sign).toHaveBeenCalledTimes(2)
})

test('noble signs if WebCrypto has no Ed25519, or is missing', async () => {
  vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(
    new DOMException('Unrecognized name', 'NotSupportedError'),
  )
  const sign = createEd25519Signer(seed, web)
  expect(bytesToHex(await sign(hexToBytes('af82')))).toBe(signature)
  const platform = crypto
  vi.stubGlobal('crypto', {
    getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => platform.getRandomValues(bytes),
  })
  expect(bytesToHex(await createEd25519Signer(seed, web)(hexToBytes('af82')))).toBe(signature)
})
