/** RFC 3339, section 5.6. */
export function isDate(text: string): boolean {
  return dates.test(text) && isOfCalendar(text)
}

/** RFC 3339, section 5.6: the day must be one of the calendar, the offset must be there. */
export function isDateTime(text: string): boolean {
  return dateTimes.test(text) && isOfCalendar(text) && isOfClock(text.slice(11))
}

/** RFC 3339, section 5.6; a leap second only where one can be, at the end of a day in UTC. */
export function isTime(text: string): boolean {
  return times.test(text) && isOfClock(text)
}

const day =
  '\\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31|02-29)'
const clock =
  '(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)'
const dates = /* @__PURE__ */ new RegExp(/* @__PURE__ */ whole(day))
const dateTimes = /* @__PURE__ */ new RegExp(/* @__PURE__ */ whole(day, '[Tt]', clock))
const times = /* @__PURE__ */ new RegExp(/* @__PURE__ */ whole(clock))

function whole(...parts: readonly string[]): string {
  return `^${parts.join('')}$`
}

/** A Date takes the 29th of February of a common year for the 1st of March, or is invalid. */
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
export const isDuration: Test = /* @__PURE__ */ pattern(() => {
  const units = (first: string, second: string, third: string) =>
    `(?:\\d+${first}(?:\\d+${second}(?:\\d+${third})?)?|\\d+${second}(?:\\d+${third})?|\\d+${third})`
  const hours = `T${units('H', 'M', 'S')}`
  return `P(?:\\d+W|${units('Y', 'M', 'D')}(?:${hours})?|${hours})`
})

/** RFC 2673, section 3.2. */
export function isIpv4(text: string): boolean {
  return dotted.test(text)
}

const dotted = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/

/**
 * RFC 4291, section 2.2, without a zone. Eight groups, or fewer and two colons, once, for those
 * that are not there. An IPv4 address at the end stands for two groups.
 */
export function isIpv6(text: string): boolean {
  const groups = text.includes('.')
    ? text.replace(/(?<=:)[\d.]+$/, (end) => (isIpv4(end) ? '0:0' : end))
    : text
  return grouped.test(groups)
}

const grouped =
  /^(?:[\dA-Fa-f]{1,4}(?::[\dA-Fa-f]{1,4}){7}|(?!(?::*[^:]+(?=:|$)){8})(?:[\dA-Fa-f]{1,4}(?::[\dA-Fa-f]{1,4})*)?::(?:[\dA-Fa-f]{1,4}(?::[\dA-Fa-f]{1,4})*)?)$/

/** RFC 5321, section 4.1.2: a name or a quoted text, then a domain or an address in brackets. */
export const isEmail: Test = /* @__PURE__ */ mailboxes('')
/** RFC 6531: beyond ASCII too. */
export const isIdnEmail: Test = /* @__PURE__ */ mailboxes('\\u{80}-\\u{10FFFF}')

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
  return new RegExp(
    `^(?:${atom}(?:\\.${atom})*|${quoted})@(?:${label}(?:\\.${label})*|\\[([Ii][Pp][Vv]6:)?([^\\]]*)\\])$`,
    'u',
  )
}

/** RFC 3986: with a scheme. */
export function isUri(text: string): boolean {
  return plainUri.test(text) || (isUriReference(text) && hasScheme(text))
}

/** Most URIs, at a third of the time. */
const plainUri = /^[a-z]+:\/\/[\w.-]+(?::\d+)?(?:\/[\w\-.~/]*)?(?:\?[\w\-.~=&]*)?$/

/** RFC 3987: with a scheme. */
export function isIri(text: string): boolean {
  return isIriReference(text) && hasScheme(text)
}

/** RFC 3987: with a scheme, or relative to something. */
export function isIriReference(text: string): boolean {
  return isUriReference(toAscii(text))
}

/** Beyond ASCII, an IRI has only letters more, and characters of private use in its query. */
function toAscii(text: string): string {
  const letters = text.replaceAll(
    /[\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{DFFFD}\u{E1000}-\u{EFFFD}]/gu,
    '_',
  )
  return letters.replace(/\?[^#]*/, (query) =>
    query.replaceAll(/[\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}]/gu, '_'),
  )
}

/** Of a reference: only a scheme has a colon before the first slash. */
function hasScheme(text: string): boolean {
  return scheme.test(text)
}

const scheme = /^[^/?#]+:/

/**
 * RFC 3986: with a scheme, or relative to something. Characters first, then how they are parted:
 * scheme, authority, path, query, fragment. Only a host has brackets.
 */
export function isUriReference(text: string): boolean {
  if (foreign.test(text)) return false
  if (!text.includes('[')) return parts.test(text)
  const host = parts.exec(text)?.[1]
  return host !== undefined && (isIpv6(host) || /^[Vv][\dA-Fa-f]+\.[^%@/?#[]+$/.test(host))
}

const foreign = /[^\w\-.~!$&'()*+,;=:@/?#[\]%]|%(?![\dA-Fa-f]{2})/
const parts =
  /^(?:[A-Za-z][A-Za-z\d+\-.]*:|(?![^/?#]*:))(?:\/\/(?:[^@/?#[\]]*@)?(?:\[([^\]]*)\]|[^:@/?#[\]]*)(?::\d*)?(?=[/?#]|$)|(?!\/\/))[^?#[\]]*(?:\?[^#[\]]*)?(?:#[^#[\]]*)?$/

/** RFC 6570, whose erratum 6937 allows an apostrophe. */
export const isUriTemplate: Test = /* @__PURE__ */ pattern(() => {
  const character = '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})'
  const variable = `${character}(?:\\.?${character})*(?::[1-9]\\d{0,3}|\\*)?`
  return `(?:[^\\u{0}-\\u{20}"%<>\\\\^\`{|}\\u{7F}]|%[0-9A-Fa-f]{2}|\\{[+#.\\/;?&=,!@|]?${variable}(?:,${variable})*\\})*`
})

const pointer = '(?:\\/(?:[^~\\/]|~[01])*)*'
/** RFC 6901. */
export const isJsonPointer: Test = /* @__PURE__ */ pattern(() => pointer)
/** The Internet-Draft "Relative JSON Pointers". */
export const isRelativeJsonPointer: Test = /* @__PURE__ */ pattern(
  () => `(?:0|[1-9]\\d*)(?:#|${pointer})`,
)

/** A pattern of ECMA-262 with the u flag. */
export function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** RFC 9562, section 4, of any version. */
export function isUuid(text: string): boolean {
  return uuids.test(text)
}

const uuids = /^[\dA-Fa-f]{8}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{12}$/

/** Base64 with padding (RFC 4648, section 4), of OpenAPI's registry of formats. */
export function isByte(text: string): boolean {
  return text.length % 4 === 0 && base64.test(text)
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A whole number of 32 bits with a sign, of OpenAPI's registry of formats. */
export function isInt32(value: number): boolean {
  return isWhole(value, 2_147_483_647)
}

/** The same of 64 bits. JavaScript reads the largest one as 2⁶³, so that is accepted. */
export function isInt64(value: number): boolean {
  return isWhole(value, 9_223_372_036_854_775_808)
}

function isWhole(value: number, max: number): boolean {
  return Number.isInteger(value) && value <= max && value >= -max - 1
}

type Test = (text: string) => boolean

/** Compiled when first asked, so that an unused format costs nothing. */
function pattern(source: () => string): Test {
  let compiled: RegExp | undefined
  return (text) => (compiled ??= new RegExp(`^(?:${source()})$`, 'su')).test(text)
}
