import { createHash, createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import * as fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { expect, test } from 'vitest'
import { verifyEd25519Twice } from '../../test/curves.js'
import { verifyEd25519With } from './ed25519.js'

const toBytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const toLittleEndian = (number: bigint) =>
  Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse())
const readLittleEndian = (part: Uint8Array) =>
  BigInt(`0x${Buffer.from(part).reverse().toString('hex')}`)

test('S + L, a second signature that anyone can derive from the first, is rejected', () => {
  const seed = new Uint8Array(32).fill(7)
  const message = new Uint8Array([1])
  const signature = ed25519.sign(message, seed)
  const twin = Uint8Array.of(
    ...signature.slice(0, 32),
    ...toLittleEndian(readLittleEndian(signature.slice(32)) + ed25519.Point.Fn.ORDER),
  )
  expect(verifyEd25519Twice(signature, message, ed25519.getPublicKey(seed))).toBe(true)
  expect(verifyEd25519Twice(twin, message, ed25519.getPublicKey(seed))).toBe(false)
})

// the cases of "Taming the many EdDSAs" (ed25519-speccheck), on which libraries differ
const cases = [
  {
    name: 'key and R of small order, S of 0',
    message: '8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6',
    key: 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    signature:
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a0000000000000000000000000000000000000000000000000000000000000000',
    verifies: false,
  },
  {
    name: 'a key of small order',
    message: '9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79',
    key: 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    signature:
      'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04',
    verifies: false,
  },
  {
    name: 'an R of small order',
    message: 'aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab',
    key: 'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43',
    signature:
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e',
    verifies: false,
  },
  {
    name: 'a key and R with a small part beside their own',
    message: '9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79',
    key: 'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d',
    signature:
      '9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009',
    verifies: true,
  },
  {
    name: 'a key with a small part, and an equation that holds times 8 only',
    message: 'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
    key: 'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d',
    signature:
      '160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed5125ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09',
    verifies: true,
  },
  {
    name: 'the same with a reduced hash',
    message: 'e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c',
    key: 'cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d',
    signature:
      '21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405',
    verifies: true,
  },
  {
    name: 'an S of the order and more',
    message: '85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40',
    key: '442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623',
    signature:
      'e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514',
    verifies: false,
  },
  {
    name: 'an S far above the order',
    message: '85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40',
    key: '442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623',
    signature:
      '8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa19427e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22',
    verifies: false,
  },
  {
    name: 'an R that is not canonical',
    message: 'fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a',
    key: 'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43',
    signature:
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607',
    verifies: false,
  },
  {
    name: 'an R that is not canonical, hashed as it is',
    message: '84b698d39be126ff55fe45079e6c8bf64a0d7db6994560b4e96b7021eb39c1a1',
    key: 'f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43',
    signature:
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f084d5b99c2a9463d9c8bd5026916996984eeec87ddf1d3be329006ace1b37b09',
    verifies: false,
  },
]

for (const { name, message, key, signature, verifies } of cases) {
  test(`${name}: ${verifies ? 'verifies' : 'is rejected'}`, () => {
    expect(verifyEd25519Twice(toBytes(signature), toBytes(message), toBytes(key))).toBe(verifies)
    // the encoding is checked first, whatever the platform's code accepts
    expect(
      verifyEd25519With(
        { holdsEd25519: () => true },
        toBytes(signature),
        toBytes(message),
        toBytes(key),
      ),
    ).toBe(verifies)
  })
}

test("the platform's code decides first, and noble decides after a rejection or an error", () => {
  const [seed, message] = [new Uint8Array(32).fill(7), Uint8Array.of(1)]
  const [key, good, wrong] = [
    ed25519.getPublicKey(seed),
    ed25519.sign(message, seed),
    ed25519.sign(Uint8Array.of(2), seed),
  ]
  const fault = () => {
    throw new Error('no Ed25519 here')
  }
  expect(verifyEd25519With({ holdsEd25519: () => true }, wrong, message, key)).toBe(true)
  for (const holdsEd25519 of [() => false, fault]) {
    expect(verifyEd25519With({ holdsEd25519 }, good, message, key)).toBe(true)
    expect(verifyEd25519With({ holdsEd25519 }, wrong, message, key)).toBe(false)
  }
})

// all encodings of the points of small order, canonical or not
const small = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
]

test('these are all encodings of small order that noble knows', () => {
  const [first] = small.slice(-1).map((encoding) => ed25519.Point.fromBytes(toBytes(encoding)))
  const torsion = Array.from({ length: 8 }, (_, at) =>
    Buffer.from(first?.multiplyUnsafe(BigInt(at)).toBytes() ?? []).toString('hex'),
  )
  expect(small).toEqual(expect.arrayContaining(torsion))
  expect(new Set(torsion).size).toBe(8)
})

test('a key of small order verifies nothing', () => {
  for (const key of small) {
    for (const r of small) {
      for (let message = 0; message < 8; message++) {
        expect(
          verifyEd25519Twice(toBytes(r + '00'.repeat(32)), Uint8Array.of(message), toBytes(key)),
        ).toBe(false)
      }
    }
  }
})

test('agrees with @noble/curves and node:crypto on signatures of honest keys, altered or not', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.uint8Array({ maxLength: 64 }),
      fc.option(fc.tuple(fc.nat(63), fc.integer({ min: 1, max: 255 }))),
      (seed, message, spoilt) => {
        const publicKey = ed25519.getPublicKey(seed)
        const signature = ed25519.sign(message, seed)
        if (spoilt) signature[spoilt[0]] = (signature[spoilt[0]] ?? 0) ^ spoilt[1]
        const key = createPublicKey({
          key: Buffer.concat([toBytes('302a300506032b6570032100'), publicKey]),
          format: 'der',
          type: 'spki',
        })
        expect(verifyEd25519Twice(signature, message, publicKey)).toBe(spoilt === null)
        expect(ed25519.verify(signature, message, publicKey, { zip215: false })).toBe(
          spoilt === null,
        )
        expect(verify(null, message, key, signature)).toBe(spoilt === null)
      },
    ),
    { numRuns: countRounds(200) },
  )
})

/** The result without the platform's code: noble's strict mode, and no R of small order. */
function verifyWithNoble(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  try {
    if (
      [publicKey, signature.slice(0, 32)].some((point) =>
        ed25519.Point.fromBytes(point).isSmallOrder(),
      )
    )
      return false
    return ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    return false
  }
}

const order8 = ed25519.Point.fromBytes(
  toBytes('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'),
)

type Parts = {
  readonly key: Uint8Array
  readonly message: Uint8Array
  readonly r: Uint8Array
  readonly s: Uint8Array
}

/** A signature whose key and R each have an added small-order component. */
function signMixedOrder(
  secret: bigint,
  chance: bigint,
  message: Uint8Array,
  parts: readonly [bigint, bigint],
): Parts {
  const { Point } = ed25519
  const at = (scalar: bigint, part: bigint) =>
    Point.BASE.multiply(scalar).add(order8.multiplyUnsafe(part)).toBytes()
  const [key, r] = [at(secret, parts[0]), at(chance, parts[1])]
  const hash = createHash('sha512').update(r).update(key).update(message).digest()
  return {
    key,
    message,
    r,
    s: toLittleEndian((chance + readLittleEndian(hash) * secret) % Point.Fn.ORDER),
  }
}

const flipBit = (part: Uint8Array, bit: number) =>
  part.with(bit >> 3, (part[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
const spoilers: readonly ((parts: Parts, chance: number) => Parts)[] = [
  (parts) => parts,
  (parts) => ({ ...parts, message: Uint8Array.of(...parts.message, 0) }),
  (parts, chance) => ({ ...parts, r: flipBit(parts.r, chance) }),
  (parts, chance) => ({ ...parts, s: flipBit(parts.s, chance) }),
  (parts, chance) => ({ ...parts, key: flipBit(parts.key, chance) }),
  (parts, chance) => ({
    ...parts,
    s: toLittleEndian(
      readLittleEndian(parts.s) + BigInt((chance % 8) + 1) * ed25519.Point.Fn.ORDER,
    ),
  }),
  (parts, chance) => ({ ...parts, s: toLittleEndian(ed25519.Point.Fn.ORDER - BigInt(chance % 2)) }),
  (parts, chance) => ({ ...parts, r: toBytes(small[chance % small.length] ?? '') }),
  (parts, chance) => ({ ...parts, key: toBytes(small[chance % small.length] ?? '') }),
  (parts, chance) => ({ ...parts, r: toLittleEndian(2n ** 255n - BigInt((chance % 20) + 1)) }),
  (parts, chance) => ({ ...parts, key: toLittleEndian(2n ** 256n - BigInt((chance % 20) + 1)) }),
]

test('for random input the result is that of noble, with and without the code of Node', () => {
  const scalar = fc.bigInt({ min: 1n, max: ed25519.Point.Fn.ORDER - 1n })
  const order = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 7n }))
  let accepted = 0
  fc.assert(
    fc.property(
      fc.tuple(scalar, scalar, fc.uint8Array({ maxLength: 40 }), fc.tuple(order, order)),
      fc.constantFrom(...spoilers),
      fc.nat(255),
      (made, spoil, chance) => {
        const { key, message, r, s } = spoil(signMixedOrder(...made), chance)
        const signature = Uint8Array.of(...r, ...s)
        const verdict = verifyEd25519Twice(signature, message, key)
        expect(verdict).toBe(verifyWithNoble(signature, message, key))
        if (verdict) accepted++
      },
    ),
    { numRuns: countRounds(300) },
  )
  expect(accepted).toBeGreaterThan(countRounds(300) / 15)
})

test('other lengths are rejected', () => {
  expect(verifyEd25519Twice(new Uint8Array(63), new Uint8Array(), new Uint8Array(32))).toBe(false)
  expect(verifyEd25519Twice(new Uint8Array(64), new Uint8Array(), new Uint8Array(33))).toBe(false)
})
