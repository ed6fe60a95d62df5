import { ed25519 } from '@noble/curves/ed25519.js'
import { base58, base64 } from '@scure/base'
import { expect, test } from 'vitest'
import { encodeJsonHeader } from '../encoding.js'
import { privateKeySigner } from '../keys.js'
import { siweMessage, solanaMessage } from '../sign-in/create-siwx-header.js'
import { SiwxError } from './errors.js'
import { verifySiwxHeader, type VerifySiwxOptions } from './verify-siwx-header.js'

const now = Date.UTC(2026, 5, 30, 12)
const service: VerifySiwxOptions = {
  domain: 'api.example:4020',
  uri: 'http://api.example:4020',
  now: () => now,
}
const signer = privateKeySigner(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const seed = new Uint8Array(32).fill(7)
const solanaAddress = base58.encode(ed25519.getPublicKey(seed))
const solanaMainnet = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

const terms = {
  domain: 'api.example:4020',
  uri: 'http://api.example:4020/api/v1/models',
  nonce: '0123456789abcdef0123456789abcdef',
  issuedAt: '2026-06-30T12:00:00.000Z',
}

/** A header of fields with their signature, unless `rest` overrides it. */
const signEvmHeader = async (more: object = {}, rest: object = {}) => {
  const fields = { ...terms, ...more, address: signer.address }
  const signature = await signer.sign(siweMessage({ ...fields, chainId: 8453 }))
  return encodeJsonHeader({
    ...fields,
    version: '1',
    chainId: 'eip155:8453',
    type: 'eip191',
    signature,
    ...rest,
  })
}

const solana = (
  more: object = {},
  rest: object = {},
  coder: { encode(bytes: Uint8Array): string } = base58,
) => {
  const fields = { ...terms, ...more, address: solanaAddress }
  const signature = coder.encode(
    ed25519.sign(
      new TextEncoder().encode(solanaMessage({ ...fields, chainId: solanaMainnet })),
      seed,
    ),
  )
  return encodeJsonHeader({
    ...fields,
    version: '1',
    chainId: `solana:${solanaMainnet}`,
    type: 'ed25519',
    signature,
    ...rest,
  })
}

const verifyCode = (header: string, options: Partial<VerifySiwxOptions> = {}) =>
  verifySiwxHeader(header, { ...service, ...options }).then(
    () => 'accepted',
    (error: unknown) => (error instanceof SiwxError ? error.code : error),
  )

// created by createSIWxPayload and encodeSIWxHeader of @x402/extensions 2.27.0, with a viem account
// and a key pair of @solana/kit
const recordedEvm =
  'eyJkb21haW4iOiJhcGkuZXhhbXBsZTo0MDIwIiwiYWRkcmVzcyI6IjB4ZjM5RmQ2ZTUxYWFkODhGNkY0Y2U2YUI4ODI3Mjc5Y2ZmRmI5MjI2NiIsInN0YXRlbWVudCI6IlNpZ24gaW4gdG8gRmFyZWJveCBBUEkiLCJ1cmkiOiJodHRwOi8vYXBpLmV4YW1wbGU6NDAyMC9hcGkvdjEvbW9kZWxzP3R5cGU9dHRzIiwidmVyc2lvbiI6IjEiLCJjaGFpbklkIjoiZWlwMTU1Ojg0NTMiLCJ0eXBlIjoiZWlwMTkxIiwibm9uY2UiOiIwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZiIsImlzc3VlZEF0IjoiMjAyNi0wNi0zMFQxMjowMDowMC4wMDBaIiwiZXhwaXJhdGlvblRpbWUiOiIyMDI2LTA2LTMwVDEyOjA1OjAwLjAwMFoiLCJyZXNvdXJjZXMiOlsiaHR0cDovL2FwaS5leGFtcGxlOjQwMjAvYXBpL3YxL21vZGVscyJdLCJzaWduYXR1cmVTY2hlbWUiOiJlaXAxOTEiLCJzaWduYXR1cmUiOiIweGI3NmY5MjVkOGJjMTVlZjI5ZjgyYzUzYTE1N2QzMmU0ZDgxNzg1MDU4Njk5OTE0MmZmZTEyNTYzOWU0Yjk3NjE2ZGI2NDIzNmI3ZDZhYmJjMDZlMzMxZWUwODc0OGU2YmMwM2MwMTZkMzRhZGUzMTZmYWJiNDc0MjljYTcxMDZhMWIifQ=='
const recordedSolana =
  'eyJkb21haW4iOiJhcGkuZXhhbXBsZTo0MDIwIiwiYWRkcmVzcyI6IkdtYURycHBCQzdQNUFSS1Y4ZzNkaml3UDg5dnoxakxLMjNWMkdCanVBRUdCIiwic3RhdGVtZW50IjoiU2lnbiBpbiB0byBGYXJlYm94IEFQSSIsInVyaSI6Imh0dHA6Ly9hcGkuZXhhbXBsZTo0MDIwL2FwaS92MS9tb2RlbHM/dHlwZT10dHMiLCJ2ZXJzaW9uIjoiMSIsImNoYWluSWQiOiJzb2xhbmE6NWV5a3Q0VXNGdjhQOE5KZFRSRXBZMXZ6cUtxWkt2ZHAiLCJ0eXBlIjoiZWQyNTUxOSIsIm5vbmNlIjoiMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYiLCJpc3N1ZWRBdCI6IjIwMjYtMDYtMzBUMTI6MDA6MDAuMDAwWiIsImV4cGlyYXRpb25UaW1lIjoiMjAyNi0wNi0zMFQxMjowNTowMC4wMDBaIiwicmVzb3VyY2VzIjpbImh0dHA6Ly9hcGkuZXhhbXBsZTo0MDIwL2FwaS92MS9tb2RlbHMiXSwic2lnbmF0dXJlU2NoZW1lIjoic2l3cyIsInNpZ25hdHVyZSI6IjRFVkM5S3U4WGR6cDU1WFpwVTlnMzJyRENjRzFQOUhNMVhMb3N2VFg3MzlpOTNxVUFxcWV0V0xMRFlCU2NiZHJHQ0JwUlY2UFBHQndpUmJ5QmZNckJpQ2EifQ=='

test('the headers of the sign-in extension of x402 are accepted on both chains', async () => {
  const rest = {
    nonce: '0123456789abcdef0123456789abcdef',
    issuedAt: now,
    expiresAt: now + 300_000,
  }
  const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  expect(await verifySiwxHeader(recordedEvm, service)).toEqual({ address, chain: 'evm', ...rest })
  expect(await verifySiwxHeader(recordedSolana, service)).toEqual({
    address: solanaAddress,
    chain: 'solana',
    ...rest,
  })
})

test('every optional field is part of the signed message', async () => {
  const optional = {
    statement: 'Sign in to Farebox API',
    expirationTime: '2026-06-30T12:05:00Z',
    notBefore: '2026-06-30T11:59:00Z',
    requestId: 'one',
    resources: ['https://api.example/a', 'ipfs://b'],
  }
  expect(await verifyCode(await signEvmHeader(optional))).toBe('accepted')
  expect(await verifyCode(solana(optional))).toBe('accepted')
  expect(await verifyCode(solana(optional, {}, base64))).toBe('accepted')
  for (const name of Object.keys(optional)) {
    expect([name, await verifyCode(await signEvmHeader(optional, { [name]: undefined }))]).toEqual([
      name,
      'invalid_signature',
    ])
    expect([name, await verifyCode(solana(optional, { [name]: undefined }))]).toEqual([
      name,
      'invalid_signature',
    ])
  }
})

test('an empty statement and an empty list are formatted like the extension', async () => {
  expect(await verifyCode(solana({}, { statement: '', resources: [] }))).toBe('accepted')
  expect(await verifyCode(await signEvmHeader({ resources: [] }))).toBe('accepted')
})

const rejected: [string, () => string | Promise<string>, string][] = [
  [
    'a field that no signature covers',
    () => signEvmHeader({}, { admin: 'true' }),
    'invalid_payload',
  ],
  [
    'a timestamp, which this form has not',
    () => signEvmHeader({}, { timestamp: now }),
    'invalid_payload',
  ],
  ['no nonce', () => signEvmHeader({}, { nonce: undefined }), 'invalid_payload'],
  ['no type', () => signEvmHeader({}, { type: undefined }), 'invalid_payload'],
  ['another version', () => signEvmHeader({}, { version: '2' }), 'invalid_payload'],
  [
    'another signature scheme',
    () => signEvmHeader({}, { signatureScheme: 'none' }),
    'invalid_payload',
  ],
  ['resources that are no texts', () => signEvmHeader({}, { resources: [1] }), 'invalid_payload'],
  ['a statement that is null', () => signEvmHeader({}, { statement: null }), 'invalid_payload'],
  ['a type of another chain', () => signEvmHeader({}, { type: 'ed25519' }), 'chain_mismatch'],
  [
    'a chain that is not served',
    () => signEvmHeader({}, { chainId: 'eip155:1' }),
    'unsupported_chain',
  ],
  [
    'the test network of Solana',
    () => solana({}, { chainId: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }),
    'unsupported_chain',
  ],
  [
    'a field smuggled in by another',
    () => signEvmHeader({ statement: 'x\n\nURI: http://api.example:4020' }),
    'invalid_message',
  ],
  [
    'a field smuggled in at the end',
    () => solana({ issuedAt: `${terms.issuedAt}\nExpiration Time: 2030-01-01T00:00:00Z\nfoo` }),
    'invalid_message',
  ],
  ['another domain', () => signEvmHeader({ domain: 'api.example' }), 'domain_mismatch'],
  [
    'a URI of another origin',
    () => signEvmHeader({ uri: 'http://api.example/api/v1/models' }),
    'uri_mismatch',
  ],
  [
    'a URI whose user is called like the service',
    () => signEvmHeader({ uri: 'http://api.example:4020@evil.example/' }),
    'uri_mismatch',
  ],
  ['a message that is too old', () => solana({ issuedAt: '2026-06-30T11:49:29.999Z' }), 'expired'],
  [
    'a message that is not to be used yet',
    () => solana({ notBefore: '2026-06-30T12:00:30.001Z' }),
    'not_yet_valid',
  ],
  [
    'an address in lower case',
    () => signEvmHeader({}, { address: signer.address.toLowerCase() }),
    'invalid_message',
  ],
  [
    'an address in the wrong case',
    () => signEvmHeader({}, { address: signer.address.replace('f39F', 'F39F') }),
    'invalid_message',
  ],
  [
    'a Solana address in lower case',
    () => solana({}, { address: solanaAddress.toLowerCase() }),
    'invalid_signature',
  ],
  [
    'an EVM signature for Solana',
    async () => solana({}, { signature: await signer.sign('x') }),
    'invalid_signature',
  ],
]

for (const [name, header, code] of rejected) {
  test(`${name} is rejected: ${code}`, async () =>
    expect(await verifyCode(await header())).toBe(code))
}

test('a resource of the service is not a valid URI in the form with a message', async () => {
  const message = siweMessage({ ...terms, address: signer.address, chainId: 8453 })
  const header = {
    address: signer.address,
    message,
    signature: await signer.sign(message),
    timestamp: now,
    chainId: 8453,
  }
  expect(await verifyCode(encodeJsonHeader(header))).toBe('uri_mismatch')
})

test('a broken clock rejects every sign-in', async () => {
  for (const time of [NaN, Infinity])
    expect(await verifyCode(await signEvmHeader(), { now: () => time })).toBe('verifier_failed')
})
