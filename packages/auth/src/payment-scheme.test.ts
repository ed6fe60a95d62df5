import fc from 'fast-check'
import { keccak256, stringToHex } from 'viem'
import { expect, test } from 'vitest'
import {
  decodeBase64url,
  encodeBase64url,
  formatPaymentChallenge,
  formatPaymentCredential,
  parsePaymentChallenges,
  parsePaymentCredential,
  paymentChallengeNonce,
} from './payment-scheme.js'

const challenge = {
  id: 'a1',
  realm: 'api.example',
  method: 'evm',
  intent: 'charge',
  request: 'e30',
}

test('the challenges of one header are read, among those of other schemes', () => {
  const header = [
    'Basic realm="trams, all of them", charset="UTF-8"',
    'Negotiate dG9rZW4=',
    formatPaymentChallenge(challenge),
    'payment id=b2, realm="say \\"hello\\"", method=tempo, intent="charge", request="e30", expires="2030-01-01T00:00:00Z", description="Payment id=c3"',
    'Bearer',
  ].join(', ')
  expect(parsePaymentChallenges(header)).toEqual([
    challenge,
    {
      ...challenge,
      id: 'b2',
      realm: 'say "hello"',
      method: 'tempo',
      expires: '2030-01-01T00:00:00Z',
    },
  ])
})

test('a challenge that lacks a parameter is left out, and no header breaks the parser', () => {
  expect(
    parsePaymentChallenges('Payment id="a1", realm="r", method="evm", intent="charge"'),
  ).toEqual([])
  expect(parsePaymentChallenges('Payment')).toEqual([])
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (header) => {
      expect(Array.isArray(parsePaymentChallenges(header))).toBe(true)
      expect(parsePaymentCredential(header)).toBeUndefined()
    }),
  )
})

const printable = fc.string({
  minLength: 1,
  unit: fc.constantFrom(...Array.from('aZ9 ,="\\;:/+-_é')),
})

test('what is formatted is parsed again', () => {
  const challenges = fc.record(
    {
      id: printable,
      realm: printable,
      method: printable,
      intent: printable,
      request: printable,
      expires: printable,
      header: printable,
      opaque: printable,
    },
    { requiredKeys: ['id', 'realm', 'method', 'intent', 'request'] },
  )
  fc.assert(
    fc.property(fc.array(challenges, { maxLength: 3 }), (list) => {
      expect(parsePaymentChallenges(list.map(formatPaymentChallenge).join(', '))).toEqual(list)
      for (const one of list) {
        const credential = { challenge: one, payload: { value: '1' }, source: 'did:pkh:x' }
        expect(parsePaymentCredential(formatPaymentCredential(credential))).toEqual(credential)
      }
    }),
  )
})

test('the nonce of a challenge is the Keccak-256 of its id and realm', () => {
  const { id, realm } = challenge
  expect(paymentChallengeNonce(challenge)).toBe(keccak256(stringToHex(`${id}${realm}`)))
})

test('base64url has no padding, and only objects are read', () => {
  expect(encodeBase64url({ a: '?>' })).toBe('eyJhIjoiPz4ifQ')
  expect(decodeBase64url('eyJhIjoiPz4ifQ')).toEqual({ a: '?>' })
  expect([decodeBase64url('W10'), decodeBase64url('!'), decodeBase64url('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
