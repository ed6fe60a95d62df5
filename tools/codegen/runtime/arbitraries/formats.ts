import * as fc from 'fast-check'

export type Format = {
  /** Texts of the format. */
  readonly valid: fc.Arbitrary<string>
  /** Every text of the format matches it. It may match other texts too. */
  readonly shape: RegExp
  /** A pattern of texts of many lengths, for a schema that bounds them. */
  readonly pattern?: string
  /** Texts that are almost of the format. */
  readonly wrong: readonly string[]
}

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/)
const moment = fc
  .date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('2099-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  .chain((instant) => {
    const text = instant.toISOString()
    return fc.constantFrom(text, text.replace(/\.\d+/, ''))
  })
const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `/${words.join('/')}`)
const uriText = fc.tuple(word, path).map(([name, rest]) => `https://${name}.example${rest}`)
// a pattern beside the format often bounds the length of the top-level domain
const mailbox = fc
  .tuple(word, word, fc.constantFrom('example', 'test'))
  .map(([name, domain, top]) => `${name}@${domain}.${top}`)

const site = String.raw`(?:[a-z]{1,20}\.)*[a-z]{1,20}`

const absolute = {
  valid: uriText,
  shape: /^[A-Za-z][A-Za-z0-9+\-.]*:[^\s<>"\\^`{|}]*$/,
  pattern: '^https?://a/[a-z]*$',
  wrong: ['', 'no scheme', '//a.example', 'https://a b'],
}
const reference = {
  valid: fc.oneof(uriText, path),
  shape: /^[^\s<>"\\^`{|}]*$/,
  pattern: '^[a-z]*$',
  wrong: ['a b', '<a>', 'a\\b'],
}
const host = {
  valid: word.map((name) => `${name}.example`),
  shape: /^[A-Za-z0-9.-]+$/,
  pattern: `^${site}$`,
  wrong: ['', 'a b', 'a_b', 'a/b'],
}
const address = {
  valid: mailbox,
  shape: /^[^\s@]+@[^\s@\\]+$/,
  pattern: `^[a-z]{1,20}@${site}$`,
  wrong: ['', 'a', 'a@', '@a.example', 'a b@a.example'],
}

export const date: Format = {
  valid: moment.map((text) => text.slice(0, 10)),
  shape: /^\d{4}-\d\d-\d\d$/,
  wrong: ['', '2030-1-31', '31.01.2030'],
}

export const dateTime: Format = {
  valid: moment,
  shape: /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
  wrong: ['', '2030-01-31', '2030-01-31T08:30:00'],
}

export const time: Format = {
  valid: moment.map((text) => text.slice(11)),
  shape: /^\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
  wrong: ['', '08:30', '08:30:00'],
}

export const duration: Format = {
  valid: fc.nat(99).map((days) => `P${days}DT12H`),
  shape: /^P[0-9YMWDTHS]+$/,
  wrong: ['', 'P', '1D'],
}

export const email: Format = address

export const idnEmail: Format = address

export const hostname: Format = host

export const idnHostname: Format = host

export const ipv4: Format = {
  valid: fc.ipV4(),
  shape: /^\d+\.\d+\.\d+\.\d+$/,
  wrong: ['', '1.2.3', 'a.b.c.d'],
}

export const ipv6: Format = {
  valid: fc.constantFrom('::', '::1', '2001:db8::1', '1:2:3:4:5:6:7:8'),
  shape: /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/,
  wrong: ['', '1.2.3.4', '1:g'],
}

export const uuid: Format = {
  valid: fc.uuid(),
  shape: /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
  wrong: ['', '1', '00000000-0000-0000-0000-00000000000g'],
}

export const uri: Format = absolute

export const url: Format = absolute

export const iri: Format = absolute

export const uriReference: Format = reference

export const iriReference: Format = reference

export const uriTemplate: Format = {
  valid: fc.tuple(uriText, word).map(([start, name]) => `${start}/{${name}}`),
  shape: /^[^\s<>"\\^`|]*$/,
  wrong: ['a b', '<a>'],
}

export const jsonPointer: Format = { valid: path, shape: /^(?:\/.*)?$/su, wrong: ['a', '#/a'] }

export const relativeJsonPointer: Format = {
  valid: path.map((text) => `1${text}`),
  shape: /^\d+(?:#|\/.*)?$/su,
  wrong: ['', '/a', 'a'],
}

export const byte: Format = {
  valid: fc.base64String(),
  shape: /^(?:.{4})*$/,
  pattern: '^(?:[A-Za-z0-9+/]{4})*$',
  wrong: ['a', 'aA', 'aA=', '-_8='],
}

export const regex: Format = { valid: word, shape: /^[^()[\]{}*+?\\]*$/, wrong: ['(', '[', '*'] }
