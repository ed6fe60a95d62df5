import { domainToASCII } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHostname, isIdnHostname } from './host-names.js'

/** Letters of several scripts, none of which changes by normalization. */
const letter = fc.constantFrom(
  'a',
  'z',
  '7',
  'ü',
  'ß',
  'ж',
  'λ',
  'ا',
  'ب',
  'क',
  '実',
  'が',
  '한',
  '\u{20000}',
)
const label = fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join(''))

/**
 * What Node makes of it writes right-to-left labels under rules of their own (RFC 5893), which are
 * not those of a single label.
 */
const oneWay = label.filter((text) => !/\p{Script=Arabic}/u.test(text))

describe('an internationalized host name', () => {
  it('is also valid in its ASCII form', () => {
    fc.assert(
      fc.property(fc.array(oneWay, { minLength: 1, maxLength: 3 }), (labels) => {
        const name = [...labels, 'example'].join('.')
        const written = domainToASCII(name)
        fc.pre(written !== '')
        expect([name, isIdnHostname(name), isHostname(written), isIdnHostname(written)]).toEqual([
          name,
          true,
          true,
          true,
        ])
        expect(isHostname(name)).toBe(name === written)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['bücher.example', true],
    ['Bücher.EXAMPLE', true],
    ['実例。テスト', true],
    ['l·l', true],
    ['a·l', false],
    ['α\u0375β', true],
    ['א\u05F3ב', true],
    ['A\u05F3ב', false],
    ['・', false],
    ['・ア', true],
    ['ب\u0660\u06F0', false],
    ['ب\u06F0', true],
    ['क\u094D\u200Dष', true],
    ['क\u200Dष', false],
    ['بي\u200Cبي', true],
    ['\u0300a', false],
    ['실〮례.테스트', false],
    ['u\u0308', false],
    ['-ü', false],
    ['ü-', false],
    ['aa--ü', false],
    ['', false],
    ['ü..ü', false],
    [`${'ü'.repeat(46)}.example`, true],
    ['ü'.repeat(64), false],
    [Array.from({ length: 50 }, () => 'ü').join('.'), false],
  ])('%s: %s', (name, valid) => {
    expect(isIdnHostname(name)).toBe(valid)
  })
})

describe('a label that begins with xn--', () => {
  it.each([
    ['xn--bcher-kva', true],
    ['XN--BCHER-KVA', true],
    ['xn--ihqwcrb4cv8a8dqg056pqjye', true],
    ['xn--X', false],
    ['xn--', false],
    ['xn--abc-', false],
    ['xn--99999999', false],
    ['xm--bcher-kva', false],
    ['xn--07jt112bpxg', false],
  ])('%s: %s', (name, valid) => {
    expect(isHostname(name)).toBe(valid)
  })
})
