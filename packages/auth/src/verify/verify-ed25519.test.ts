import { ed25519 } from '@noble/curves/ed25519.js'
import { expect, test } from 'vitest'
import { verifyEd25519 } from './verify-ed25519.js'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))

// RFC 8032, section 7.1
const vectors = [
  {
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
]

for (const { key, message, signature } of vectors) {
  test(`the vector of RFC 8032 with the message "${message}" verifies`, () => {
    expect(verifyEd25519(bytes(signature), bytes(message), bytes(key))).toBe(true)
    expect(verifyEd25519(bytes(signature), bytes(`${message}00`), bytes(key))).toBe(false)
  })
}

test('S + L, a second signature that anybody can make from the first, is refused', () => {
  const seed = new Uint8Array(32).fill(7)
  const message = new Uint8Array([1])
  const signature = ed25519.sign(message, seed)
  const little = (part: Uint8Array) => BigInt(`0x${Buffer.from(part).reverse().toString('hex')}`)
  const s = little(signature.slice(32)) + ed25519.Point.Fn.ORDER
  const twin = Uint8Array.from([...signature.slice(0, 32), ...Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()])
  expect(verifyEd25519(signature, message, ed25519.getPublicKey(seed))).toBe(true)
  expect(verifyEd25519(twin, message, ed25519.getPublicKey(seed))).toBe(false)
})

// the encodings of the points of small order
const small = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
]

test('a key of small order verifies nothing', () => {
  for (const key of small) {
    for (const r of small) {
      for (let message = 0; message < 8; message++) {
        expect(verifyEd25519(bytes(r + '00'.repeat(32)), Uint8Array.of(message), bytes(key))).toBe(false)
      }
    }
  }
})

test('other lengths are refused', () => {
  expect(verifyEd25519(new Uint8Array(63), new Uint8Array(), new Uint8Array(32))).toBe(false)
  expect(verifyEd25519(new Uint8Array(64), new Uint8Array(), new Uint8Array(33))).toBe(false)
})
