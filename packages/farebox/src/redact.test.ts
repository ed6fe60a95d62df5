import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './redact.js'

const key = 'fb_live_9xQ+Zr7/kL2mWt4=Vb8n'
const long = Buffer.from(
  JSON.stringify({ address: '0x19E7', signature: 'q'.repeat(200), nonce: 'abcdef0123456789' }),
).toString('base64')

describe('a credential is hidden', () => {
  it.each<[string, string]>([
    ['as it is', `the key ${key} is wrong`],
    ['in a header that was written out', `authorization: Bearer ${key}\r\nhost: x`],
    [
      'percent-encoded, in either case of hex',
      `${encodeURIComponent(key)} ${encodeURIComponent(key).replaceAll(/%../g, (code) => code.toLowerCase())}`,
    ],
    ['in JSON with escaped slashes', JSON.stringify({ key }).replaceAll('/', '\\/')],
    [
      'in HTML with entities',
      `<p>${key.replaceAll('+', '&#43;').replaceAll('/', '&#47;').replaceAll('=', '&#61;')}</p>`,
    ],
    [
      'in HTML with hexadecimal entities',
      `<p>${key.replaceAll('+', '&#x2B;').replaceAll('/', '&#x2F;').replaceAll('=', '&#x3D;')}</p>`,
    ],
    [
      'in hex',
      `${Buffer.from(key).toString('hex')} ${Buffer.from(key).toString('hex').toUpperCase()}`,
    ],
    ['in base64, as in Basic', `Basic ${Buffer.from(`user:${key}`).toString('base64')}`],
    ['in base64 for URLs', Buffer.from(`?${key}?`).toString('base64url')],
    ['many times', Array.from({ length: 500 }, () => key).join(' ')],
  ])('%s', (_how, text) => {
    const shown = createRedactor([key])(text)
    expect(shown).toContain('[hidden]')
    for (const form of [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString('hex'),
      Buffer.from(key).toString('base64').slice(0, -4),
      key.slice(8),
    ]) {
      expect(shown.toLowerCase()).not.toContain(form.toLowerCase())
    }
  })

  it('in base64 anywhere in a string', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (before, after) => {
        const shown = createRedactor([key])(
          `x ${Buffer.from(before + key + after).toString('base64')} y`,
        )
        expect(
          Buffer.from(shown.replace('[hidden]', '').slice(2, -2), 'base64').toString(),
        ).not.toContain(key)
        expect(shown).toContain('[hidden]')
      }),
    )
  })

  it('in every piece of 15 characters, wherever it was cut and whatever surrounds it', () => {
    const redact = createRedactor([long])
    fc.assert(
      fc.property(
        fc.nat(long.length - 15),
        fc.integer({ min: 15, max: 400 }),
        fc.string({ maxLength: 40 }),
        fc.string({ maxLength: 40 }),
        (from, length, before, after) => {
          const piece = long.slice(from, from + length)
          const shown = redact(`${before} ${piece} ${after}`)
          expect(shown).toContain('[hidden]')
          expect(shown).not.toContain(piece)
        },
      ),
    )
  })

  it('in lines of 60 characters', () => {
    const shown = createRedactor([long])(long.replaceAll(/.{60}/g, '$&\r\n'))
    expect(shown).not.toMatch(/[\w+/=]{15}/)
  })

  it('in a string of megabytes, fast enough', () => {
    const text = `${'a server has much to say. '.repeat(80_000)}${long}${'.'.repeat(2_000_000)}`
    expect(createRedactor([long, key])(text)).not.toContain(long.slice(100, 115))
  })

  it('however short it is, as a whole word', () => {
    expect(createRedactor(['a'])('a key a: "a"')).toBe('[hidden] key [hidden]: "[hidden]"')
    expect(createRedactor(['KEY'])('Bearer KEY, MONKEY and KEYS')).toBe(
      'Bearer [hidden], MONKEY and KEYS',
    )
  })
})

describe('other text is kept', () => {
  it.each([
    'Insufficient balance: 0.12 USD of 5 USD',
    'fb_live_ keys end with a checksum',
    '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    '3f2b8c1e-7d64-4a51-9c2b-0e8d7a6f5b4c',
    '',
  ])('%s', (text) => expect(createRedactor([key, long])(text)).toBe(text))

  it('without credentials', () => expect(createRedactor([])('anything')).toBe('anything'))
})
