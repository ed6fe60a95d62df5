import { admits, type Schema } from '@farebox/codegen/model'
import fc from 'fast-check'
import { JS, NFA } from 'refa'
import { describe, expect, it } from 'vitest'
import { countRounds } from '../../../internal/testing/src/rounds.js'
import { findFormatRules, findSufficientRules } from './formats.js'
import { findString, includesStrings } from './languages.js'
import { listWords } from './words.js'

const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\d', '\\w', '\\b', '1', '-')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc
      .tuple(atom, fc.constantFrom('', '?', '*', '+', '{1,2}'))
      .map((parts) => (parts[0] === '\\b' ? parts[0] : parts.join(''))),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
    tie('pattern').map((inner) => `^${inner}`),
    tie('pattern').map((inner) => `${inner}$`),
    tie('pattern').map((inner) => `(?=${inner})`),
    tie('pattern').map((inner) => `(?!${inner})`),
  ),
}))
const rules = fc.record(
  { pattern, minLength: fc.nat(3), maxLength: fc.nat(4) },
  { requiredKeys: ['pattern'] },
)
const accepts = (
  {
    pattern,
    minLength = 0,
    maxLength = Infinity,
  }: typeof rules extends fc.Arbitrary<infer Value> ? Value : never,
  text: string,
) => new RegExp(pattern, 'u').test(text) && text.length >= minLength && text.length <= maxLength
/** Every text of up to three of these characters. */
const texts = [''].concat(
  ...[1, 2, 3].map((length) =>
    Array.from({ length: 4 ** length }, (_, index) =>
      Array.from({ length }, (_unused, at) => 'ab1-'[Math.floor(index / 4 ** at) % 4]).join(''),
    ),
  ),
)

describe("compared with the platform's regular expressions", () => {
  it('no string violates rules that include the others', () => {
    let included = 0
    fc.assert(
      fc.property(rules, rules, (part, whole) => {
        if (!includesStrings(part, whole)) return
        included += 1
        expect(texts.filter((text) => accepts(part, text) && !accepts(whole, text))).toEqual([])
      }),
      { numRuns: countRounds(5000) },
    )
    expect(included).toBeGreaterThan(20)
  })

  it('a string that only one accepts is a counterexample', () => {
    let found = 0
    fc.assert(
      fc.property(rules, rules, (accepting, rejecting) => {
        const text = findString(accepting, rejecting)
        if (text === undefined) return
        found += 1
        expect([accepts(accepting, text), accepts(rejecting, text)]).toEqual([true, false])
      }),
      { numRuns: countRounds(2000) },
    )
    expect(found).toBeGreaterThan(10)
  })
})

it.each([
  ['a back reference', '^(a+)b\\1$', '^aba$'],
  ['too many states', '^[^]*a[ab]{40}$', '^b*a[ab]{40}$'],
])('%s proves nothing', (_, whole, part) => {
  expect(includesStrings({ pattern: part }, { pattern: whole })).toBe(false)
})

it('a long string is found among more prefixes than fit in memory', () => {
  const pattern = '^[a-zA-Z0-9](-*_*[a-zA-Z0-9])*$'
  const text = findString({ pattern, maxLength: 63 }, { pattern, maxLength: 30 }) ?? ''
  expect([text.length, new RegExp(pattern, 'u').test(text)]).toEqual([31, true])
})

it.each([
  ['uuid', fc.uuid()],
  ['date', createDates(10)],
  ['date-time', createDates(24)],
  ['time', createDates(24).map((text) => text.slice(11))],
  ['duration', createDurations()],
  ['ipv4', fc.ipV4()],
  ['byte', fc.base64String()],
])('the rules of the format %s hold of what validators accept', (format, valid) => {
  const notes = { origin: { file: '', pointer: '' } }
  const schema: Schema = { kind: 'string', notes, format }
  const known = findFormatRules(format) ?? {}
  const changed = fc
    .tuple(valid, fc.nat(40), fc.constantFrom('', '0', '1', '+', 'Z', 'z', 'a', '-', '.', ':'))
    .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at + 1))
  fc.assert(
    fc.property(fc.oneof(valid, changed), (text) => {
      fc.pre(admits(schema, text, () => schema))
      expect(accepts({ pattern: '', ...known }, text)).toBe(true)
    }),
    { numRuns: countRounds(2000) },
  )
})

it.each(['byte', 'uri', 'uri-reference'])(
  'validators accept all strings of the sufficient rules of the format %s',
  (format) => {
    const notes = { origin: { file: '', pointer: '' } }
    const schema: Schema = { kind: 'string', notes, format }
    const { pattern = '' } = findSufficientRules(format) ?? {}
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(pattern)), (text) =>
        admits(schema, text, () => schema),
      ),
      { numRuns: countRounds(2000) },
    )
  },
)

function createDurations(): fc.Arbitrary<string> {
  const units = (names: string) =>
    fc
      .tuple(...Array.from(names, (name) => fc.option(fc.nat().map((count) => `${count}${name}`))))
      .map((parts) => parts.join(''))
  return fc
    .tuple(units('YMD'), units('HMS'))
    .map(([day, time]) => `P${day}${time === '' ? '' : `T${time}`}`)
}

function createDates(length: number): fc.Arbitrary<string> {
  return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, length))
}

const password = '^(?=.*[A-Z])(?=.*\\d)(?!.*--)[\\w-]{8,64}$'
it.each([
  ['longer than a pattern is', findFormatRules('date-time')?.pattern ?? '', '^.{1,256}$', 257],
  ['that a look ahead rejects', '^[\\w-]{8,64}$', password, 8],
  ['that meets what a pattern looks for within', '^((?!-)[a-z-]+(?<!-)\\.)+com$', '^.{1,5}$', 6],
  ['that each look ahead accepts', password, '^[\\w-]{9,64}$', 8],
])('a string is found %s', (_, accepting, rejecting, length) => {
  const text = findString({ pattern: accepting }, { pattern: rejecting }) ?? ''
  const matches = [accepting, rejecting].map((one) => new RegExp(one, 'u').test(text))
  expect([text.length, ...matches]).toEqual([length, true, false])
})

it.each([
  ['each character is looked at before it is read', '^((?!x)[a-z])*$', '^[a-wyz]*$'],
  [
    'labels neither begin nor end with a hyphen',
    '^((?!-)[a-z-]{1,63}(?<!-)\\.)+$',
    '^[a-z]([a-z.-]*[a-z])?\\.$',
  ],
  ['an anchor within makes a pattern impossible', 'a^b', '^x$'],
])('it is proven where %s', (_, part, whole) => {
  expect(includesStrings({ pattern: part }, { pattern: whole })).toBe(true)
})

it('no string is found that a lookahead excludes from a format', () => {
  expect(includesStrings({ pattern: password }, { maxLength: 9 }, findFormatRules('date'))).toBe(
    true,
  )
})

it('large length bounds are compared as numbers', () => {
  const pattern = '^a+$'
  expect(includesStrings({ pattern, maxLength: 5000 }, { maxLength: 6000 })).toBe(true)
  expect(
    includesStrings({ pattern, maxLength: 5000 }, { pattern: '^[ab]+$', maxLength: 6000 }),
  ).toBe(true)
  expect(includesStrings({ pattern, maxLength: 5000 }, { pattern, maxLength: 4000 })).toBe(false)
})

it('an automaton has few strings, however many paths spell them', () => {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({
    source: '[a-z]+[a-z]+[a-z]+',
    flags: 'u',
  }).parse()
  const automaton = NFA.fromRegex(expression, { maxCharacter })
  const words = [...listWords({ automaton, range: [60, 60] })]
  expect(words.length).toBeLessThanOrEqual(100)
  expect(words[0]).toContain('a'.repeat(60))
})
