import * as fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import {
  createSiwxHeader,
  siweMessage,
  solanaMessage,
  type SiwxMessageFields,
} from './create-siwx-header.js'
import { privateKeySigner, solanaKeySigner } from '../keys.js'
import { verifySiwxHeader } from '../verify.js'
import { countRounds } from '@farebox/testing/rounds'
import { SiweMessage } from 'siwe'
import { createSiweMessage } from 'viem/siwe'
import { getAddress } from 'viem/utils'
import { parseSiweMessage } from '../verify/parse-siwe-message.js'

// the first account of the well-known development mnemonic "test test ... junk"
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

const options = {
  domain: '127.0.0.1:4020',
  uri: 'http://127.0.0.1:4020',
  statement: 'Sign in to Farebox API',
  now: () => Date.UTC(2026, 5, 30, 12, 0, 0, 250),
  nonce: () => '0123456789abcdef',
}

const message = `127.0.0.1:4020 wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Sign in to Farebox API

URI: http://127.0.0.1:4020
Version: 1
Chain ID: 8453
Nonce: 0123456789abcdef
Issued At: 2026-06-30T12:00:00.250Z
Expiration Time: 2026-06-30T12:10:00.250Z`

test('the header contains the message of the interface specification, its signature and the time', async () => {
  const header = await createSiwxHeader(privateKeySigner(key), options)
  expect(JSON.parse(atob(header))).toEqual({
    address,
    message,
    signature: await privateKeyToAccount(key).signMessage({ message }),
    timestamp: 1782820800250,
    chainId: 8453,
    type: 'eip191',
  })
})

test('a Solana wallet signs the Solana message', async () => {
  const signer = {
    kind: 'solana',
    address: 'So11111111111111111111111111111111111111112',
    sign: async () => 'signature',
  } as const
  expect(JSON.parse(atob(await createSiwxHeader(signer, options)))).toEqual({
    address: 'So11111111111111111111111111111111111111112',
    message: message
      .replace('Ethereum', 'Solana')
      .replace(address, 'So11111111111111111111111111111111111111112')
      .replace('8453', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
    signature: 'signature',
    timestamp: 1782820800250,
    chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    type: 'ed25519',
  })
})

test('an address in one case is signed in EIP-55 form, and an invalid one is not signed', async () => {
  for (const spelling of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
    const signer = { ...privateKeySigner(key), address: spelling }
    const header = await createSiwxHeader(signer, options)
    expect(JSON.parse(atob(header))).toMatchObject({ address, message })
    expect((await verifySiwxHeader(header, options)).address).toBe(address)
  }
  for (const spelling of [address.replace('f39F', 'F39f'), '0x1', 'tram']) {
    const signer = { ...privateKeySigner(key), address: spelling }
    await expect(createSiwxHeader(signer, options)).rejects.toMatchObject({
      code: 'invalid_signer',
    })
  }
})

test('every header has a new nonce of 16 hex digits', async () => {
  const { nonce: _, ...random } = options
  const messages: string[] = []
  const signer = {
    kind: 'evm',
    address,
    sign: async (text: string) => (messages.push(text), '0x00'),
  } as const
  await createSiwxHeader(signer, random)
  await createSiwxHeader(signer, random)
  const nonces = messages.map((text) => /^Nonce: ([0-9a-f]{16})$/m.exec(text)?.[1])
  expect(nonces).not.toContain(undefined)
  expect(new Set(nonces).size).toBe(2)
})

test('the error of a wallet that declines says so', async () => {
  const cause = new Error('User rejected the request')
  const signer = { kind: 'evm', address, sign: async () => Promise.reject(cause) } as const
  await expect(createSiwxHeader(signer, options)).rejects.toMatchObject({
    code: 'signing_failed',
    message: `Sign-in: the wallet ${address} did not sign (User rejected the request)`,
    retryable: false,
    cause,
  })
})

test('any sign-in is verified on both chains, with its address, time and nonce', async () => {
  const host = fc
    .tuple(fc.stringMatching(/^[a-z0-9]{1,12}$/), fc.integer({ min: 1, max: 65_535 }))
    .map(([name, port]) => `${name}.example:${port}`)
  const fields = fc.record({
    domain: host,
    nonce: fc.stringMatching(/^[A-Za-z0-9]{8,20}$/),
    statement: fc
      .stringMatching(/^[A-Z][A-Za-z0-9 :,;?!@&=+/#._~'()*[\]$-]{0,60}$/)
      .filter((text) => !text.startsWith('URI: ')),
    now: fc.integer({ min: 0, max: 4e12 }),
    lifetimeMs: fc.integer({ min: 1_000, max: 600_000 }),
    age: fc.integer({ min: 0, max: 999 }),
    secret: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((bytes) => bytes.some((byte) => byte > 0) && (bytes[0] ?? 255) < 255),
  })
  await fc.assert(
    fc.asyncProperty(fields, async ({ domain, nonce, statement, now, lifetimeMs, age, secret }) => {
      const service = { domain, uri: `https://${domain}` }
      for (const signer of [
        privateKeySigner(`0x${Buffer.from(secret).toString('hex')}`),
        solanaKeySigner(secret),
      ]) {
        const header = await createSiwxHeader(signer, {
          ...service,
          statement,
          lifetimeMs,
          nonce: () => nonce,
          now: () => now,
        })
        expect(await verifySiwxHeader(header, { ...service, now: () => now + age })).toEqual({
          address: signer.address,
          chain: signer.kind,
          nonce,
          issuedAt: now,
          expiresAt: now + lifetimeMs,
        })
      }
    }),
    { numRuns: 150 },
  )
})

const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
const domain = fc
  .tuple(word, fc.option(fc.integer({ min: 1, max: 65_535 })))
  .map(([name, port]) => `${name}.example${port === null ? '' : `:${port}`}`)
const uri = fc
  .tuple(domain, fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@-]{0,20}$/))
  .map(([host, path]) => `https://${host}/${path}`)
const date = fc
  .date({ min: new Date('1970-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
  .map((sample) => sample.toISOString())

const fields: fc.Arbitrary<SiwxMessageFields & { readonly chainId: number }> = fc.record(
  {
    domain,
    address: fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString('hex')}`)),
    statement: fc.stringMatching(/^[A-Za-z0-9 :,;?!@&=+/#._~'()*[\]$-]{1,60}$/),
    uri,
    chainId: fc.integer({ min: 1, max: 2 ** 31 }),
    nonce: fc.stringMatching(/^[A-Za-z0-9]{8,40}$/),
    issuedAt: date,
    expirationTime: date,
    notBefore: date,
    requestId: fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@-]{1,20}$/),
    resources: fc.array(uri, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['domain', 'address', 'uri', 'chainId', 'nonce', 'issuedAt'] },
)

test('random messages equal those of viem and siwe byte for byte', () => {
  fc.assert(
    fc.property(fields, (sample) => {
      const text = siweMessage(sample)
      expect(createSiweMessage(toViemMessage(sample))).toBe(text)
      expect(printWithSiwe(sample)).toBe(text)
    }),
    { numRuns: countRounds(10_000) },
  )
})

/** Without the constructor of siwe, which parses its input: parsing is compared below. */
function printWithSiwe(sample: SiwxMessageFields): string {
  return Object.assign(Object.create(SiweMessage.prototype) as SiweMessage, sample, {
    version: '1',
  }).prepareMessage()
}

function toViemMessage({
  address,
  issuedAt,
  expirationTime,
  notBefore,
  resources,
  ...rest
}: SiwxMessageFields & { readonly chainId: number }) {
  return {
    ...rest,
    address: address as `0x${string}`,
    version: '1' as const,
    issuedAt: new Date(issuedAt),
    ...(expirationTime !== undefined && { expirationTime: new Date(expirationTime) }),
    ...(notBefore !== undefined && { notBefore: new Date(notBefore) }),
    ...(resources && { resources: [...resources] }),
  }
}

test('a Solana message differs from an EVM message only in the chain, and in one empty line without a statement', () => {
  fc.assert(
    fc.property(fields, (sample) => {
      const evm = siweMessage(sample).replace('Ethereum', 'Solana')
      expect(solanaMessage(sample)).toBe(
        sample.statement === undefined ? evm.replace('\n\n\n', '\n\n') : evm,
      )
    }),
  )
})

const canParse = (parse: (text: string) => unknown, text: string): boolean => {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

test('our parser accepts and rejects the same messages as siwe', () => {
  const inserted = fc.constantFrom(
    '',
    '\n',
    ' ',
    'x',
    '"',
    '0',
    'é',
    '%',
    'Z',
    '-',
    ':',
    '\r',
    '/',
    '@',
  )
  fc.assert(
    fc.property(fields, fc.nat(400), fc.nat(3), inserted, (sample, at, removed, put) => {
      const text = siweMessage(sample)
      const place = at % text.length
      const altered = text.slice(0, place) + put + text.slice(place + removed)
      // siwe allows an empty statement, but EIP-4361 requires at least one character
      fc.pre(!altered.includes('\n\n\n\n'))
      expect([altered, canParse(parseSiweMessage, altered)]).toEqual([
        altered,
        canParse((given) => new SiweMessage(given), altered),
      ])
    }),
    { numRuns: countRounds(1_500), seed: 4361 },
  )
})
