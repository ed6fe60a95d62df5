import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClientAddress } from './client-address.js'

const { ofRequest, ofPeer, isProxy } = createClientAddress([
  '10.0.0.0/8',
  '192.0.2.7',
  '2001:db8:ffff::/48',
  '::ffff:172.16.0.0/108',
])
const proxy = '10.0.0.1'

const findAddress = (headers: Readonly<Record<string, string>>, peer = proxy) =>
  ofRequest(peer, new Headers(headers))

describe('the address of a client', () => {
  it.each([
    ['the only one', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    [
      'the rightmost, since a client can send a list itself',
      { 'x-forwarded-for': '1.1.1.1, 198.51.100.1' },
      '198.51.100.1',
    ],
    [
      'before any number of our proxies',
      { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 10.2.3.4,192.0.2.7' },
      '198.51.100.1',
    ],
    [
      'whatever stands left of it',
      { 'x-forwarded-for': '"><script>, 198.51.100.1' },
      '198.51.100.1',
    ],
    ['with a port', { 'x-forwarded-for': '198.51.100.1:4711' }, '198.51.100.1'],
    ['IPv6 by its /64', { 'x-forwarded-for': '[2001:db8:1:2:3:4:5:6]:80' }, '2001:db8:1:2::/64'],
    ['IPv4 in IPv6', { 'x-forwarded-for': '::ffff:198.51.100.1' }, '198.51.100.1'],
    ['the first proxy, if all are ours', { 'x-forwarded-for': '10.9.9.9, 10.2.2.2' }, '10.9.9.9'],
    [
      'in RFC 7239',
      { forwarded: 'for=1.1.1.1, for=198.51.100.1;proto=http;by=10.0.0.1, For=10.2.2.2' },
      '198.51.100.1',
    ],
    ['quoted, with a port', { forwarded: 'for="[2001:db8:cafe::17]:4711"' }, '2001:db8:cafe::/64'],
    [
      'in both, if they agree',
      { forwarded: 'for="198.51.100.1:80"', 'x-forwarded-for': '2.2.2.2, 198.51.100.1' },
      '198.51.100.1',
    ],
  ])('is %s', (_what, headers, address) => {
    expect(findAddress(headers)).toBe(address)
  })

  it.each([
    ['no header', {}],
    [
      'another address in each header, one of which the client wrote',
      { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '198.51.100.1' },
    ],
    ['a hidden one', { forwarded: 'for=_hidden' }],
    ['an unknown one', { forwarded: 'for=unknown, for=10.2.2.2' }],
    ['an element without one', { forwarded: 'for=1.1.1.1, by=10.2.2.2' }],
    ['a quote that a client opened', { forwarded: 'for=1.1.1.1;by=", for="198.51.100.1"' }],
    ['two in one element', { forwarded: 'for=1.1.1.1;for=2.2.2.2' }],
    ['an empty list', { 'x-forwarded-for': '' }],
    ['words', { 'x-forwarded-for': 'localhost' }],
    ['other spellings of a number', { 'x-forwarded-for': '0x7f.1' }],
  ])('is that of the proxy for %s', (_what, headers) => {
    expect(findAddress(headers)).toBe(proxy)
  })

  it('is that of the peer if the peer is not a trusted proxy, whatever it sends', () => {
    const hop = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constant('unknown'),
      fc.string({ unit: 'grapheme-ascii' }),
    )
    const sent = fc.record(
      { forwarded: hop.map((one) => `for="${one}"`), 'x-forwarded-for': hop },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.ipV4().filter((peer) => !isProxy(peer)),
        sent,
        (peer, headers) => {
          expect(findAddress(headers, peer)).toBe(peer)
          expect(findAddress(headers, `::ffff:${peer}`)).toBe(peer)
        },
      ),
    )
  })

  it('is what the first trusted proxy saw, whatever the client sent to it', () => {
    const free = fc.string({ unit: 'grapheme-ascii', maxLength: 60 })
    const client = fc.ipV4().filter((address) => !isProxy(address))
    fc.assert(
      fc.property(
        free,
        client,
        fc.array(fc.constantFrom('10.1.1.1', '192.0.2.7', '172.16.3.4'), { maxLength: 3 }),
        (forged, address, hops) => {
          const chain = [address, ...hops]
          expect(findAddress({ 'x-forwarded-for': [forged, ...chain].join(', ') })).toBe(address)
          // a quote that is open makes the rest of this header unreadable, and then nothing of it
          // is believed
          expect([address, proxy]).toContain(
            findAddress({ forwarded: [forged, ...chain.map((one) => `for=${one}`)].join(', ') }),
          )
        },
      ),
    )
  })
})

describe('the key of an address', () => {
  it('is the same for all addresses of a /64, and for an IPv4 address in IPv6', () => {
    const half = fc.tuple(
      ...([0, 0, 0, 0].map(() => fc.nat(0xffff)) as [
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
        fc.Arbitrary<number>,
      ]),
    )
    const text = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':')
    fc.assert(
      fc.property(
        half.filter(([first]) => first > 0),
        half,
        half,
        fc.ipV4(),
        (network, one, other, four) => {
          expect(ofPeer(text([...network, ...one]))).toBe(ofPeer(text([...network, ...other])))
          expect(ofPeer(text([...network, ...one]))).not.toBe(
            ofPeer(text([network[0], network[1], network[2], network[3] ^ 1, ...one])),
          )
          expect(ofPeer(`::ffff:${four}`)).toBe(four)
        },
      ),
    )
  })

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::/129',
    '::ffff:10.0.0.0/95',
    'proxy.example',
    '10.0.0.0/',
  ])('rejects %j as a proxy range', (range) => {
    expect(() => createClientAddress([range])).toThrow(
      `"${range}" is neither an address nor a CIDR range`,
    )
  })
})
