import { countRounds } from '@farebox/testing/rounds'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { siweMessage, solanaMessage } from '../sign-in/create-siwx-header.js'
import { parseSiweMessage, parseSolanaMessage, parseRfc3339 } from './parse-siwe-message.js'
import { SiwxError } from './errors.js'

// the examples of EIP-4361
const full = `example.com wants you to sign in with your Ethereum account:
0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json`

const fields = {
  domain: 'example.com',
  address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  statement: 'I accept the ExampleOrg Terms of Service: https://example.com/tos',
  uri: 'https://example.com/login',
  version: '1',
  chainId: 1,
  nonce: '32891756',
  issuedAt: '2021-09-30T16:25:24Z',
  resources: [
    'ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/',
    'https://example.com/my-web2-claim.json',
  ],
}

test('the example with an implicit scheme is read', () =>
  expect(parseSiweMessage(full)).toEqual(fields))

test('the example with an implicit scheme and a port is read', () => {
  expect(parseSiweMessage(full.replace('example.com wants', 'example.com:3388 wants'))).toEqual({
    ...fields,
    domain: 'example.com:3388',
  })
})

test('the example with an explicit scheme is read', () => {
  expect(parseSiweMessage(full.replace('example.com wants', 'https://example.com wants'))).toEqual({
    ...fields,
    scheme: 'https',
  })
})

test('reads an address whose EIP-55 form has one case', () => {
  for (const address of [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    `0x${'1'.repeat(40)}`,
  ])
    expect(parseSiweMessage(full.replace(fields.address, address)).address).toBe(address)
})

test('without a statement two empty lines remain', () => {
  const { statement: _, ...rest } = fields
  expect(parseSiweMessage(full.replace(`${fields.statement}\n`, ''))).toEqual(rest)
})

test('every optional field is read in its order', () => {
  const text = full
    .replace(
      'Resources:',
      'Expiration Time: 2021-10-01T00:00:00+02:00\nNot Before: 2021-09-30T00:00:00.5Z\nRequest ID: some~id\nResources:',
    )
    .replace(/\n- .*/g, '')
  expect(parseSiweMessage(text)).toEqual({
    ...fields,
    expirationTime: '2021-10-01T00:00:00+02:00',
    notBefore: '2021-09-30T00:00:00.5Z',
    requestId: 'some~id',
    resources: [],
  })
})

const rejected: [string, string][] = [
  ['nothing', ''],
  ['no domain', full.replace('example.com wants', ' wants')],
  ['a domain with a path', full.replace('example.com wants', 'example.com/path wants')],
  ['two schemes', full.replace('example.com wants', 'https://https://example.com wants')],
  ['a domain that is no IPv6 address', full.replace('example.com wants', '[12345::] wants')],
  ['another chain in the first line', full.replace('Ethereum', 'Solana')],
  ['an address in the wrong case', full.replace('0xC02aaA', '0xC02AaA')],
  ['an address in lower case', full.replace(fields.address, fields.address.toLowerCase())],
  [
    'an address in upper case',
    full.replace(fields.address, `0x${fields.address.slice(2).toUpperCase()}`),
  ],
  ['an address that is too short', full.replace('Cc2\n', 'Cc\n')],
  ['no empty line above the statement', full.replace('Cc2\n\n', 'Cc2\n')],
  ['no empty line below the statement', full.replace('tos\n\n', 'tos\n')],
  ['one empty line too many', full.replace('\n\nURI', '\n\n\nURI')],
  ['a statement of two lines', full.replace('/tos', '/tos\nand more')],
  ['a statement with a quote', full.replace('ExampleOrg', '"ExampleOrg"')],
  ['a statement that is not ASCII', full.replace('accept', 'accépt')],
  ['CRLF', full.replaceAll('\n', '\r\n')],
  ['a tab', full.replace('URI: ', 'URI:\t')],
  ['a line feed at the end', `${full}\n`],
  ['a space at the end', full.replace('Version: 1', 'Version: 1 ')],
  [
    'a URI without a scheme',
    full.replace('URI: https://example.com/login', 'URI: example.com/login'),
  ],
  ['a URI with a space', full.replace('/login', '/log in')],
  ['a URI with a bad escape', full.replace('/login', '/%zz')],
  ['another version', full.replace('Version: 1', 'Version: 2')],
  ['a chain id that is no number', full.replace('Chain ID: 1', 'Chain ID: 0x1')],
  [
    'a chain id that no number holds',
    full.replace('Chain ID: 1', 'Chain ID: 99999999999999999999'),
  ],
  ['a short nonce', full.replace('32891756', '3289175')],
  ['a nonce with a hyphen', full.replace('32891756', '3289-1756')],
  ['a date without a zone', full.replace('24Z', '24')],
  ['a date that does not exist', full.replace('09-30', '09-31')],
  ['a second that does not exist', full.replace('25:24Z', '25:61Z')],
  ['a date in words', full.replace('2021-09-30T16:25:24Z', 'Thu, 30 Sep 2021 16:25:24 GMT')],
  ['fields in another order', full.replace('Version: 1\nChain ID: 1', 'Chain ID: 1\nVersion: 1')],
  ['a field twice', full.replace('Nonce: 32891756', 'Nonce: 32891756\nNonce: 32891756')],
  ['a field that is missing', full.replace('Nonce: 32891756\n', '')],
  [
    'optional fields in another order',
    full.replace(
      'Resources:',
      'Not Before: 2021-09-30T16:25:24Z\nExpiration Time: 2021-09-30T16:25:24Z\nResources:',
    ),
  ],
  ['a resource that is no URI', full.replace('- ipfs:', '- ipfs')],
  ['a line after the resources', `${full}\nmore`],
]

for (const [name, text] of rejected) {
  test(`${name} is rejected`, () => {
    expect(text).not.toBe(full)
    expect(() => parseSiweMessage(text)).toThrow(SiwxError)
  })
}

test('an error names the line and the expected content', () => {
  expect(() => parseSiweMessage(full.replace('Nonce: 32891756\n', ''))).toThrow(
    'Sign-in message, line 9: expected "Nonce: " and a valid value',
  )
})

test('the parser reads the messages of the builder for both chains', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
  const date = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((one) => one.toISOString())
  const some = fc.record(
    {
      domain: word,
      uri: word.map((name) => `https://${name}`),
      nonce: fc.stringMatching(/^[A-Za-z0-9]{8,20}$/),
      issuedAt: date,
      statement: fc
        .stringMatching(/^[A-Za-z0-9 :,;?!@&=+/#.-]{1,40}$/)
        .filter((text) => !text.startsWith('URI: ')),
      expirationTime: date,
    },
    { requiredKeys: ['domain', 'uri', 'nonce', 'issuedAt'] },
  )
  fc.assert(
    fc.property(some, (rest) => {
      const evm = { ...rest, address: fields.address, chainId: 8453 }
      expect(parseSiweMessage(siweMessage(evm))).toEqual({ ...evm, version: '1' })
      const solana = {
        ...rest,
        address: 'So11111111111111111111111111111111111111112',
        chainId: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      }
      expect(parseSolanaMessage(solanaMessage(solana))).toEqual({ ...solana, version: '1' })
    }),
    { numRuns: countRounds(500) },
  )
})

test('any string is read or rejected with a SiwxError', () => {
  const line = fc.oneof(fc.constantFrom(...full.split('\n')), fc.string())
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n')),
      ),
      (text) => {
        for (const parse of [parseSiweMessage, parseSolanaMessage]) {
          try {
            parse(text)
          } catch (error) {
            if (!(error instanceof SiwxError)) throw error
          }
        }
      },
    ),
    { numRuns: countRounds(2000) },
  )
})

const examples: [string, number | undefined][] = [
  ['1970-01-01T00:00:00Z', 0],
  ['1985-04-12T23:20:50.52Z', 482196050520],
  ['1996-12-19T16:39:57-08:00', 851042397000],
  ['1937-01-01T12:00:27.87+00:20', -1041337172130],
  ['2026-06-30t12:00:00z', 1782820800000],
  ['2024-02-29T00:00:00Z', 1709164800000],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-00-01T00:00:00Z', undefined],
  ['2026-06-30T24:00:00Z', undefined],
  ['2026-06-30T12:00:00', undefined],
  ['2026-06-30 12:00:00Z', undefined],
  ['2026-06-30T12:00Z', undefined],
  ['2026-06-30T12:00:00+2500', undefined],
  ['+002026-06-30T12:00:00Z', undefined],
]

for (const [text, time] of examples)
  test(`${text} is ${time ?? 'not an RFC 3339 date-time'}`, () =>
    expect(parseRfc3339(text)).toBe(time))
