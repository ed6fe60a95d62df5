import * as fc from 'fast-check'
import { createSiweMessage } from 'viem/siwe'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createSiwxHeader } from './create-siwx-header.js'
import { privateKeySigner } from './private-key-signer.js'
import { siweMessage } from './siwx-message.js'

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

test('the header holds the message of the interface specification, its signature and the time', async () => {
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

test('a Solana wallet signs the Solana text', async () => {
  const signer = { kind: 'solana', address: 'So11111111111111111111111111111111111111112', sign: async () => 'signature' } as const
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

test('every header has a nonce of its own: 16 hex digits', async () => {
  const { nonce: _, ...random } = options
  const signed: string[] = []
  const signer = { kind: 'evm', address, sign: async (text: string) => (signed.push(text), '0x00') } as const
  await createSiwxHeader(signer, random)
  await createSiwxHeader(signer, random)
  const nonces = signed.map((text) => /^Nonce: ([0-9a-f]{16})$/m.exec(text)?.[1])
  expect(nonces).not.toContain(undefined)
  expect(new Set(nonces).size).toBe(2)
})

test('a wallet that refuses is an error that says so', async () => {
  const cause = new Error('User rejected the request')
  const signer = { kind: 'evm', address, sign: async () => Promise.reject(cause) } as const
  await expect(createSiwxHeader(signer, options)).rejects.toMatchObject({ code: 'signing_failed', retryable: false, cause })
})

test('the message is that of viem, byte for byte, for any fields', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
  const date = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  const fields = fc.record(
    {
      domain: word.map((name) => `${name}.example:8080`),
      uri: word.map((name) => `https://${name}.example/path?a=b#c`),
      chainId: fc.integer({ min: 1, max: 2 ** 40 }),
      nonce: fc.stringMatching(/^[A-Za-z0-9]{8,20}$/),
      statement: fc.stringMatching(/^[A-Za-z][A-Za-z .,:?!-]{0,40}$/),
      issuedAt: date,
      expirationTime: date,
      notBefore: date,
      requestId: word,
      resources: fc.array(
        word.map((name) => `https://${name}.example`),
        { minLength: 1 },
      ),
    },
    { requiredKeys: ['domain', 'uri', 'chainId', 'nonce', 'issuedAt'] },
  )
  fc.assert(
    fc.property(fields, ({ issuedAt, expirationTime, notBefore, ...rest }) => {
      const dates = {
        issuedAt: issuedAt.toISOString(),
        ...(expirationTime && { expirationTime: expirationTime.toISOString() }),
        ...(notBefore && { notBefore: notBefore.toISOString() }),
      }
      const theirs = createSiweMessage({
        ...rest,
        address,
        version: '1',
        issuedAt,
        ...(expirationTime && { expirationTime }),
        ...(notBefore && { notBefore }),
      })
      expect(siweMessage({ ...rest, ...dates, address })).toBe(theirs)
    }),
    { numRuns: 1000 },
  )
})
