import { rounds } from '@farebox/testing/rounds'
import * as fc from 'fast-check'
import { SiweMessage } from 'siwe'
import { createSiweMessage } from 'viem/siwe'
import { getAddress } from 'viem/utils'
import { expect, test } from 'vitest'
import { siweMessage, solanaMessage, type SiwxMessageFields } from './siwx-message.js'
import { parseSiweMessage } from '../verify/parse-siwe-message.js'

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
      expect(createSiweMessage(forViem(sample))).toBe(text)
      expect(printedBySiwe(sample)).toBe(text)
    }),
    { numRuns: rounds(10_000) },
  )
})

/** Without the constructor of siwe, which parses its input: parsing is compared below. */
function printedBySiwe(sample: SiwxMessageFields): string {
  return Object.assign(Object.create(SiweMessage.prototype) as SiweMessage, sample, {
    version: '1',
  }).prepareMessage()
}

function forViem({
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

const reads = (parse: (text: string) => unknown, text: string): boolean => {
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
      expect([altered, reads(parseSiweMessage, altered)]).toEqual([
        altered,
        reads((given) => new SiweMessage(given), altered),
      ])
    }),
    { numRuns: rounds(1_500), seed: 4361 },
  )
})
