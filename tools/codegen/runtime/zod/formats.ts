import { rule, type Rule } from './checks.js'
import { isHostname, isIdnHostname } from './host-names.js'

/** RFC 3339, section 5.6. */
export const date: Rule<string> = /* @__PURE__ */ text('date', 'a date (RFC 3339), such as 2030-01-31', isDate)

/** RFC 3339, section 5.6: the day must be one of the calendar, the offset must be there. */
export const dateTime: Rule<string> = /* @__PURE__ */ text(
  'date-time',
  'a date and time with an offset (RFC 3339), such as 2030-01-31T08:30:00Z',
  isDateTime,
)

/** RFC 3339, section 5.6; a leap second only where one can be, at the end of a day in UTC. */
export const time: Rule<string> = /* @__PURE__ */ text('time', 'a time with an offset (RFC 3339), such as 08:30:00Z', isTime)

function isDate(text: string): boolean {
  return dates.test(text) && isOfCalendar(text)
}

function isDateTime(text: string): boolean {
  return dateTimes.test(text) && isOfCalendar(text) && isOfClock(text.slice(11))
}

function isTime(text: string): boolean {
  return times.test(text) && isOfClock(text)
}

const day = '\\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31|02-29)'
const clock = '(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)'
const dates = /* @__PURE__ */ new RegExp(/* @__PURE__ */ whole(day))
const dateTimes = /* @__PURE__ */ new RegExp(/* @__PURE__ */ whole(day, '[Tt]', clock))
const times = /* @__PURE__ */ new RegExp(/* @__PURE__ */ whole(clock))

function whole(...parts: readonly string[]): string {
  return `^${parts.join('')}$`
}

/** Only a leap year has a 29th of February: elsewhere it is no day, or the 1st of March. */
function isOfCalendar(text: string): boolean {
  return !text.startsWith('02-29', 5) || new Date(text.slice(0, 10)).getUTCDate() === 29
}

/** Only the last minute of a day in UTC has a 60th second. */
function isOfClock(text: string): boolean {
  if (!text.startsWith('60', 6)) return true
  const offset = text
    .slice(8)
    .replace(/^\.\d+/, '')
    .toUpperCase()
  return new Date(`1970-01-01T${text.slice(0, 5)}${offset}`).toISOString().slice(11, 16) === '23:59'
}

/** RFC 3339, appendix A: units in order, none left out between two. */
export const duration: Rule<string> = /* @__PURE__ */ pattern('duration', 'a duration (ISO 8601), such as P1DT12H', () => {
  const units = (first: string, second: string, third: string) =>
    `(?:\\d+${first}(?:\\d+${second}(?:\\d+${third})?)?|\\d+${second}(?:\\d+${third})?|\\d+${third})`
  const hours = `T${units('H', 'M', 'S')}`
  return `P(?:\\d+W|${units('Y', 'M', 'D')}(?:${hours})?|${hours})`
})

/** RFC 1123, section 2.1, with labels of RFC 5890. */
export const hostname: Rule<string> = /* @__PURE__ */ text('hostname', 'a host name', isHostname)
/** RFC 5890: labels beyond ASCII too. */
export const idnHostname: Rule<string> = /* @__PURE__ */ text('idn-hostname', 'a host name', isIdnHostname)

/** RFC 2673, section 3.2. */
export const ipv4: Rule<string> = /* @__PURE__ */ text('ipv4', 'an IPv4 address', isIpv4)

function isIpv4(text: string): boolean {
  return dotted.test(text)
}

const dotted = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/

/** RFC 4291, section 2.2, without a zone. */
export const ipv6: Rule<string> = /* @__PURE__ */ text('ipv6', 'an IPv6 address', isIpv6)

/** Eight groups, or fewer and two colons, once, for those that are not there. An IPv4 address at the end stands for two groups. */
function isIpv6(text: string): boolean {
  const groups = text.includes('.') ? text.replace(/(?<=:)[\d.]+$/, (end) => (isIpv4(end) ? '0:0' : end)) : text
  return grouped.test(groups)
}

const grouped =
  /^(?:[\dA-Fa-f]{1,4}(?::[\dA-Fa-f]{1,4}){7}|(?!(?::*[^:]+(?=:|$)){8})(?:[\dA-Fa-f]{1,4}(?::[\dA-Fa-f]{1,4})*)?::(?:[\dA-Fa-f]{1,4}(?::[\dA-Fa-f]{1,4})*)?)$/

/** RFC 5321, section 4.1.2: a name or a quoted text, then a domain or an address in brackets. */
export const email: Rule<string> = /* @__PURE__ */ text('email', 'an email address', /* @__PURE__ */ mailboxes(''))

/** RFC 6531: beyond ASCII too. */
export const idnEmail: Rule<string> = /* @__PURE__ */ text(
  'idn-email',
  'an email address',
  /* @__PURE__ */ mailboxes('\\u{80}-\\u{10FFFF}'),
)

function mailboxes(further: string): (text: string) => boolean {
  let compiled: RegExp | undefined
  return (text) => {
    compiled ??= mailbox(further)
    if (!text.endsWith(']')) return compiled.test(text)
    const [, version, address] = compiled.exec(text) ?? []
    return address !== undefined && (version === undefined ? isIpv4 : isIpv6)(address)
  }
}

function mailbox(further: string): RegExp {
  const atom = `[A-Za-z0-9!#$%&'*+\\/=?^_\`{|}~\\-${further}]+`
  const quoted = `"(?:[ !#-\\[\\]-~${further}]|\\\\[ -~])*"`
  const label = `[A-Za-z0-9${further}](?:[A-Za-z0-9\\-${further}]{0,61}[A-Za-z0-9${further}])?`
  return new RegExp(`^(?:${atom}(?:\\.${atom})*|${quoted})@(?:${label}(?:\\.${label})*|\\[(IPv6:)?([^\\]]*)\\])$`, 'u')
}

/** RFC 3986: with a scheme. */
export const uri: Rule<string> = /* @__PURE__ */ text('uri', 'a URI with a scheme', (text) => isReference(text) && hasScheme(text))
/** RFC 3986: with a scheme, or relative to something. */
export const uriReference: Rule<string> = /* @__PURE__ */ text('uri-reference', 'a URI reference', isReference)
/** RFC 3987. */
export const iri: Rule<string> = /* @__PURE__ */ text(
  'iri',
  'an IRI with a scheme',
  (text) => isReference(toAscii(text)) && hasScheme(text),
)
/** RFC 3987. */
export const iriReference: Rule<string> = /* @__PURE__ */ text('iri-reference', 'an IRI reference', (text) => isReference(toAscii(text)))

/** Beyond ASCII, an IRI has only letters more. */
function toAscii(text: string): string {
  return text.replaceAll(
    /[\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{DFFFD}\u{E1000}-\u{EFFFD}]/gu,
    '_',
  )
}

/** Of a reference: only a scheme has a colon before the first slash. */
function hasScheme(text: string): boolean {
  return scheme.test(text)
}

const scheme = /^[^/?#]+:/

/** Characters first, then how they are parted: scheme, authority, path, query, fragment. Only a host has brackets. */
function isReference(text: string): boolean {
  if (foreign.test(text)) return false
  if (!text.includes('[')) return parts.test(text)
  const host = parts.exec(text)?.[1]
  return host !== undefined && (isIpv6(host) || /^[Vv][\dA-Fa-f]+\.[^%@/?#[]+$/.test(host))
}

const foreign = /[^\w\-.~!$&'()*+,;=:@/?#[\]%]|%(?![\dA-Fa-f]{2})/
const parts =
  /^(?:[A-Za-z][A-Za-z\d+\-.]*:|(?![^/?#]*:))(?:\/\/(?:[^@/?#[\]]*@)?(?:\[([^\]]*)\]|[^:@/?#[\]]*)(?::\d*)?(?=[/?#]|$)|(?!\/\/))[^?#[\]]*(?:\?[^#[\]]*)?(?:#[^#[\]]*)?$/

/** RFC 6570. */
export const uriTemplate: Rule<string> = /* @__PURE__ */ pattern('uri-template', 'a URI template (RFC 6570)', () => {
  const character = '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})'
  const variable = `${character}(?:\\.?${character})*(?::[1-9]\\d{0,3}|\\*)?`
  return `(?:[^\\u{0}-\\u{20}"'%<>\\\\^\`{|}\\u{7F}]|%[0-9A-Fa-f]{2}|\\{[+#.\\/;?&=,!@|]?${variable}(?:,${variable})*\\})*`
})

const pointer = '(?:\\/(?:[^~\\/]|~[01])*)*'
/** RFC 6901. */
export const jsonPointer: Rule<string> = /* @__PURE__ */ pattern('json-pointer', 'a JSON pointer (RFC 6901)', () => pointer)
/** The Internet-Draft "Relative JSON Pointers". */
export const relativeJsonPointer: Rule<string> = /* @__PURE__ */ pattern(
  'relative-json-pointer',
  'a relative JSON pointer',
  () => `(?:0|[1-9]\\d*)(?:#|${pointer})`,
)

/** A pattern of ECMA-262 with the u flag. */
export const regex: Rule<string> = /* @__PURE__ */ text('regex', 'a regular expression', isRegex)

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** RFC 9562, section 4, of any version. */
export const uuid: Rule<string> = /* @__PURE__ */ text('uuid', 'a UUID, such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6', (text) =>
  uuids.test(text),
)

const uuids = /^[\dA-Fa-f]{8}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{12}$/

/** Base64 with padding (RFC 4648, section 4), of OpenAPI's registry of formats. */
export const byte: Rule<string> = /* @__PURE__ */ text(
  'byte',
  'bytes in base64 with padding (RFC 4648)',
  (text) => text.length % 4 === 0 && base64.test(text),
)

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A whole number of 32 bits with a sign, of OpenAPI's registry of formats. */
export const int32: Rule<number> = /* @__PURE__ */ wholeNumber('int32', 2_147_483_647)

/** The same of 64 bits. The largest of them is 2⁶³ as soon as JavaScript has read it, so that one is let through. */
export const int64: Rule<number> = /* @__PURE__ */ wholeNumber('int64', 9_223_372_036_854_775_808)

function wholeNumber(format: string, max: number): Rule<number> {
  const holds = (value: number): boolean => Number.isInteger(value) && value <= max && value >= -max - 1
  return rule(holds, `Invalid number: expected a whole number of ${format}`)
}

/** Compiled when first asked, so that an unused format costs nothing. */
function pattern(format: string, expected: string, source: () => string): Rule<string> {
  let compiled: RegExp | undefined
  return text(format, expected, (value) => (compiled ??= new RegExp(`^(?:${source()})$`, 'su')).test(value))
}

function text(format: string, expected: string, test: (text: string) => boolean): Rule<string> {
  return rule(test, `Invalid string: expected ${expected}`, { code: 'invalid_format', format })
}
