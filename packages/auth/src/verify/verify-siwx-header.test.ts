import { inspect } from 'node:util'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { base58, base64 } from '@scure/base'
import { isWhole, countRounds } from '@farebox/testing/rounds'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSiwxHeader, siweMessage } from '../sign-in/create-siwx-header.js'
import { encodeJsonHeader } from '../encoding.js'
import { privateKeySigner } from '../keys.js'
import { SiwxError } from './errors.js'
import { verifySiwxHeader } from './verify-siwx-header.js'

const now = Date.UTC(2026, 5, 30, 12)
const service = { domain: 'api.example:4020', uri: 'http://api.example:4020', now: () => now }
const signer = privateKeySigner(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const client = { ...service, statement: 'Sign in to Farebox API', nonce: () => '0123456789abcdef' }

type Parts = Record<string, unknown> & { message: string; signature: string }

const createParts = async (options: Partial<typeof client> = {}) =>
  JSON.parse(atob(await createSiwxHeader(signer, { ...client, ...options }))) as Parts

const verifyCode = async (header: unknown, options = {}) => {
  const error: unknown = await verifySiwxHeader(header as string, { ...service, ...options }).then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  )
  return error instanceof SiwxError ? error.code : error
}

const signHeader = async (
  fields: Partial<Parameters<typeof siweMessage>[0]>,
  rest: Record<string, unknown> = {},
) => {
  const message = siweMessage({
    ...client,
    address: signer.address,
    chainId: 8453,
    nonce: '0123456789abcdef',
    issuedAt: new Date(now).toISOString(),
    ...fields,
  })
  return encodeJsonHeader({
    address: signer.address,
    message,
    signature: await signer.sign(message),
    timestamp: now,
    chainId: 8453,
    ...rest,
  })
}

test('accepts a header of our own client', async () => {
  expect(await verifySiwxHeader(await createSiwxHeader(signer, client), service)).toEqual({
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    chain: 'evm',
    nonce: '0123456789abcdef',
    issuedAt: now,
    expiresAt: now + 600_000,
  })
})

test('chainId has three forms, and an EVM header may omit type', async () => {
  const { type: _, ...untyped } = await createParts()
  expect(await verifyCode(encodeJsonHeader(untyped))).toBe('accepted')
  expect(await verifyCode(encodeJsonHeader({ ...untyped, chainId: '8453' }))).toBe('accepted')
  expect(await verifyCode(encodeJsonHeader({ ...untyped, chainId: 'eip155:8453' }))).toBe(
    'accepted',
  )
})

test('the address outside of the message may be in lower case', async () => {
  const lower = signer.address.toLowerCase()
  expect((await verifySiwxHeader(await signHeader({}, { address: lower }), service)).address).toBe(
    signer.address,
  )
  expect(await verifyCode(await signHeader({ address: lower }, { address: lower }))).toBe(
    'invalid_message',
  )
  expect(await verifyCode(await signHeader({ address: lower }))).toBe('invalid_message')
})

test('a nonce has at most 128 characters on either chain, although EIP-4361 sets no limit', async () => {
  for (const [length, code] of [
    [128, 'accepted'],
    [129, 'invalid_message'],
  ] as const) {
    const nonce = () => 'n'.repeat(length)
    expect(await verifyCode(await createSiwxHeader(signer, { ...client, nonce }))).toBe(code)
    expect(
      await verifyCode(
        await createSiwxHeader(createSolanaSigner(base58.encode), { ...client, nonce }),
      ),
    ).toBe(code)
  }
})

const rejected: [string, () => Promise<unknown>, string][] = [
  ['what is not text', async () => undefined, 'invalid_payload'],
  ['an empty header', async () => '', 'invalid_payload'],
  [
    'base64url',
    async () => btoa('{"a":"??>"}').replace(/\+/g, '-').replace(/\//g, '_'),
    'invalid_payload',
  ],
  [
    'base64 with another letter for the same byte',
    async () => btoa('{}').replace('fQ==', 'fR=='),
    'invalid_payload',
  ],
  ['more than 8 kB', async () => signHeader({ requestId: 'x'.repeat(6200) }), 'invalid_payload'],
  ['an array', async () => encodeJsonHeader([]), 'invalid_payload'],
  ['null', async () => encodeJsonHeader(null), 'invalid_payload'],
  [
    'no message',
    async () => encodeJsonHeader({ ...(await createParts()), message: undefined }),
    'invalid_payload',
  ],
  [
    'no timestamp',
    async () => encodeJsonHeader({ ...(await createParts()), timestamp: undefined }),
    'invalid_payload',
  ],
  [
    'no chainId',
    async () => encodeJsonHeader({ ...(await createParts()), chainId: undefined }),
    'unsupported_chain',
  ],
  [
    'a chain that is not served',
    async () => signHeader({ chainId: 1 }, { chainId: 1 }),
    'unsupported_chain',
  ],
  ['another chain in the message', async () => signHeader({ chainId: 1 }), 'chain_mismatch'],
  [
    'a type that is null',
    async () => encodeJsonHeader({ ...(await createParts()), type: null }),
    'chain_mismatch',
  ],
  [
    'a type of another chain',
    async () => encodeJsonHeader({ ...(await createParts()), type: 'ed25519' }),
    'chain_mismatch',
  ],
  [
    'another address',
    async () => encodeJsonHeader({ ...(await createParts()), address: `0x${'1'.repeat(40)}` }),
    'address_mismatch',
  ],
  ['another domain', async () => signHeader({ domain: 'api.example' }), 'domain_mismatch'],
  ['another URI', async () => signHeader({ uri: 'http://api.example:4020/' }), 'uri_mismatch'],
  [
    'a message from the future',
    async () => signHeader({ issuedAt: new Date(now + 30_001).toISOString() }),
    'not_yet_valid',
  ],
  [
    'a message that is not to be used yet',
    async () => signHeader({ notBefore: new Date(now + 30_001).toISOString() }),
    'not_yet_valid',
  ],
  [
    'a message that is too old',
    async () => signHeader({ issuedAt: new Date(now - 630_001).toISOString() }),
    'expired',
  ],
  [
    'a message past its expiration time',
    async () => signHeader({ expirationTime: new Date(now).toISOString() }),
    'expired',
  ],
  [
    'a timestamp in seconds',
    async () => encodeJsonHeader({ ...(await createParts()), timestamp: now / 1000 }),
    'timestamp_mismatch',
  ],
  ['a nonce that is too short', async () => signHeader({ nonce: '1234567' }), 'invalid_message'],
  [
    'a date that does not exist',
    async () => signHeader({ issuedAt: '2026-06-31T12:00:00Z' }),
    'invalid_message',
  ],
  [
    'a field smuggled in by the statement',
    async () => signHeader({ statement: `x\n\nURI: ${service.uri}` }),
    'invalid_message',
  ],
  [
    'a line feed at the end',
    async () =>
      encodeJsonHeader({ ...(await createParts()), message: `${(await createParts()).message}\n` }),
    'invalid_message',
  ],
  [
    'a signature of another message',
    async () =>
      encodeJsonHeader({
        ...(await createParts()),
        signature: (await createParts({ nonce: () => 'another1' })).signature,
      }),
    'invalid_signature',
  ],
  [
    'a signature that is not hex',
    async () => encodeJsonHeader({ ...(await createParts()), signature: 'signature' }),
    'invalid_signature',
  ],
]

for (const [name, header, code] of rejected) {
  test(`${name} is rejected: ${code}`, async () =>
    expect(await verifyCode(await header())).toBe(code))
}

test('a message is valid from 30 seconds before its time to 10 minutes and 30 seconds after it', async () => {
  expect(
    await verifyCode(await signHeader({ issuedAt: new Date(now - 630_000).toISOString() })),
  ).toBe('accepted')
  expect(
    await verifyCode(await signHeader({ issuedAt: new Date(now + 30_000).toISOString() })),
  ).toBe('accepted')
})

test('the second signature that anyone can derive from the first (high s) is rejected', async () => {
  const header = await createParts()
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${header.signature.slice(66, 130)}`)
  const v = header.signature.endsWith('1b') ? '1c' : '1b'
  const signature = header.signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v
  expect(await verifyCode(encodeJsonHeader({ ...header, signature }))).toBe('invalid_signature')
  expect(
    await verifyCode(encodeJsonHeader({ ...header, signature }), {
      verifyContract: async () => true,
    }),
  ).toBe('invalid_signature')
})

test('v may be 0 or 1', async () => {
  const header = await createParts()
  const v = header.signature.endsWith('1b') ? '00' : '01'
  expect(
    await verifyCode(
      encodeJsonHeader({ ...header, signature: header.signature.slice(0, 130) + v }),
    ),
  ).toBe('accepted')
})

test('the contract check is called only if the signature is not that of the address', async () => {
  const calls: unknown[] = []
  const verifyContract = async (...question: unknown[]) => calls.push(question) > 0
  expect(await verifyCode(encodeJsonHeader(await createParts()), { verifyContract })).toBe(
    'accepted',
  )
  expect(calls).toEqual([])
  expect(
    await verifyCode(encodeJsonHeader({ ...(await createParts()), signature: '0x1234' }), {
      verifyContract,
    }),
  ).toBe('accepted')
  expect(calls).toEqual([
    [signer.address, expect.stringMatching(/^0x[0-9a-f]{64}$/), '0x1234', 8453],
  ])
})

test('a contract check that fails has its own error', async () => {
  const verifyContract = () => {
    throw new Error('no connection')
  }
  expect(
    await verifyCode(encodeJsonHeader({ ...(await createParts()), signature: '0x1234' }), {
      verifyContract,
    }),
  ).toBe('verifier_failed')
})

const solanaKey = new Uint8Array(32).fill(7)
const solanaAddress = base58.encode(ed25519.getPublicKey(solanaKey))
const createSolanaSigner = (encode: (bytes: Uint8Array) => string) =>
  ({
    kind: 'solana',
    address: solanaAddress,
    sign: async (message: string) =>
      encode(ed25519.sign(new TextEncoder().encode(message), solanaKey)),
  }) as const

test('a Solana header is accepted with a base58 and with a base64 signature', async () => {
  for (const coder of [base58, base64]) {
    const header = await createSiwxHeader(
      createSolanaSigner((bytes) => coder.encode(bytes)),
      client,
    )
    expect(await verifySiwxHeader(header, service)).toMatchObject({
      address: solanaAddress,
      chain: 'solana',
      nonce: '0123456789abcdef',
    })
  }
})

test('a Solana header without a type means EIP-191, and is rejected', async () => {
  const { type, ...untyped } = JSON.parse(
    atob(await createSiwxHeader(createSolanaSigner(base58.encode), client)),
  ) as Parts
  expect(type).toBe('ed25519')
  expect(await verifyCode(encodeJsonHeader({ ...untyped, type }))).toBe('accepted')
  expect(await verifyCode(encodeJsonHeader(untyped))).toBe('chain_mismatch')
  expect(await verifyCode(encodeJsonHeader({ ...untyped, type: 'eip191' }))).toBe('chain_mismatch')
})

test('a small-order Solana key, for which anyone can sign, is rejected', async () => {
  // R of small order and S = 0 satisfy the lax equation for the identity key
  const forged = new Uint8Array(64)
  forged[0] = 1
  for (const address of [
    '11111111111111111111111111111111',
    '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM',
  ]) {
    const header = await createSiwxHeader(
      { kind: 'solana', address, sign: async () => base58.encode(forged) },
      client,
    )
    expect(await verifyCode(header)).toBe('invalid_signature')
  }
})

/** Both chains, with every form of a signature. */
const good: Record<string, () => Promise<string>> = {
  'an EVM header': () => createSiwxHeader(signer, client),
  'an EVM header whose signature is in capitals': async () => {
    const { signature, ...rest } = await createParts()
    return encodeJsonHeader({ ...rest, signature: `0x${signature.slice(2).toUpperCase()}` })
  },
  'a Solana header in base58': () =>
    createSiwxHeader(
      createSolanaSigner((bytes) => base58.encode(bytes)),
      client,
    ),
  'a Solana header in base64': () =>
    createSiwxHeader(
      createSolanaSigner((bytes) => base64.encode(bytes)),
      client,
    ),
}

for (const [name, make] of Object.entries(good)) {
  test(`${name} is rejected with any one of its bits flipped, except the last digits of the timestamp, which do not matter`, async () => {
    const header = await make()
    const bytes = Buffer.from(header, 'base64')
    const from = bytes.indexOf('"timestamp":') + '"timestamp":'.length
    const original = await verifySiwxHeader(header, service)
    const accepted = new Set<number>()
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of isWhole ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
        const flipped = bytes.with(at, (bytes[at] ?? 0) ^ (1 << bit))
        const outcome = await verifySiwxHeader(
          Buffer.from(flipped).toString('base64'),
          service,
        ).catch((error: unknown) => error)
        if (outcome instanceof SiwxError) continue
        expect([at, bit, outcome]).toEqual([at, bit, original])
        accepted.add(at)
      }
    }
    // the service tolerates 30 seconds: five of 13 digits
    expect([...accepted].every((at) => at >= from + 8 && at < from + 13)).toBe(true)
  })

  test(`${name} is rejected with any one of its characters replaced, also in the base64`, async () => {
    const header = await make()
    const text = atob(header)
    const digits = /"timestamp":\d{8}/.exec(text)
    const free = (digits?.index ?? 0) + (digits?.[0].length ?? 0)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.nat(header.length - 1),
        fc.integer({ min: 32, max: 126 }),
        async (at, place, unit) => {
          const letter = String.fromCharCode(unit)
          fc.pre(text[at] !== letter && header[place] !== letter && (at < free || at >= free + 5))
          // in base64 a character is part of at most two bytes
          const first = Math.floor((place * 3) / 4)
          const touchesTime = first >= free - 1 && first < free + 5
          expect(await verifyCode(btoa(text.slice(0, at) + letter + text.slice(at + 1)))).not.toBe(
            'accepted',
          )
          if (!touchesTime)
            expect(
              await verifyCode(header.slice(0, place) + letter + header.slice(place + 1)),
            ).not.toBe('accepted')
        },
      ),
      { numRuns: countRounds(200) },
    )
  })
}

test('any input causes a SiwxError or nothing', async () => {
  const known = await createParts()
  const odd = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.jsonValue().map(encodeJsonHeader),
  )
  const fields = fc.record({
    address: fc.oneof(fc.constant(known['address']), fc.jsonValue()),
    message: fc.oneof(fc.constant(known.message), fc.string(), fc.jsonValue()),
    signature: fc.oneof(
      fc.constant(known.signature),
      fc.string(),
      fc.stringMatching(/^0x[0-9a-f]{130}$/),
      fc.jsonValue(),
    ),
    timestamp: fc.oneof(fc.constant(now), fc.jsonValue()),
    chainId: fc.oneof(
      fc.constant(8453),
      fc.constant('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
      fc.jsonValue(),
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(odd, fields.map(encodeJsonHeader)), async (header) => {
      await verifySiwxHeader(header, service).catch((error: unknown) => {
        if (!(error instanceof SiwxError)) throw error
      })
    }),
    { numRuns: countRounds(5000) },
  )
})

test('errors contain no signature and no message', async () => {
  const header = await createParts()
  const error: unknown = await verifySiwxHeader(
    encodeJsonHeader({ ...header, address: `0x${'1'.repeat(40)}` }),
    service,
  ).catch((thrown: unknown) => thrown)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(
    header.signature.slice(2, 40),
  )
})

test.each([
  [
    async () => signHeader({ chainId: 1 }, { chainId: 1 }),
    'chain 1 is not supported, expected 8453',
  ],
  [
    async () => encodeJsonHeader({ ...(await createParts()), chainId: '0x2105' }),
    'expected a form such as 8453, "eip155:8453" or "solana:"',
  ],
  [
    async () => signHeader({ domain: `https://${service.domain}` }),
    'has another scheme, expected that of http://api.example:4020, or none',
  ],
])('the rejection of a sign-in says what was expected', async (header, expected) => {
  await expect(verifySiwxHeader(await header(), service)).rejects.toThrow(expected)
})
