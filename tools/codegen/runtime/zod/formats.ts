/** RFC 3339, section 5.6; a leap second only where one can be, at the end of a day in UTC. */
export function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour = '0', offsetMinute = '0'] = time.exec(text) ?? []
  if (hour === undefined) return false
  if (second !== '60') return true
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1)
  const utc = Number(hour) * 60 + Number(minute) - offset
  return (utc + minutesOfDay) % minutesOfDay === minutesOfDay - 1
}

const time = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/
const minutesOfDay = 24 * 60

/** RFC 3339, section 5.6: the day must be one of the calendar, the offset must be there. */
export function isDateTime(text: string): boolean {
  return (text[10] === 'T' || text[10] === 't') && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month))
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** RFC 3339, appendix A: units in order, none left out between two. */
export const isDuration = /* @__PURE__ */ matcher(() => {
  const units = (first: string, second: string, third: string) =>
    `(?:\\d+${first}(?:\\d+${second}(?:\\d+${third})?)?|\\d+${second}(?:\\d+${third})?|\\d+${third})`
  const hours = `T${units('H', 'M', 'S')}`
  return `P(?:\\d+W|${units('Y', 'M', 'D')}(?:${hours})?|${hours})`
})

const label = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?'
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4 = `${octet}(?:\\.${octet}){3}`

/** RFC 1123, section 2.1, of at most 253 characters. Two hyphens in third place are for `xn--` alone (RFC 5891, section 4.2.3.1). */
export const isHostname = /* @__PURE__ */ matcher(() => {
  const any = `(?!(?![Xx][Nn])[A-Za-z0-9]{2}--)${label}`
  return `(?=.{1,253}$)${any}(?:\\.${any})*`
})

/** RFC 4291, section 2.2, without a zone. */
function ipv6(): string {
  const group = '[0-9A-Fa-f]{1,4}'
  const last = `(?:${group}:${group}|${ipv4})`
  const upTo = (count: number) => (count === 0 ? '' : `(?:${group}(?::${group}){0,${count - 1}})?`)
  const withGap = [0, 1, 2, 3, 4, 5].map((count) => `${upTo(count)}::(?:${group}:){${5 - count}}${last}`)
  return `(?:${[`(?:${group}:){6}${last}`, ...withGap, `${upTo(6)}::${group}`, `${upTo(7)}::`].join('|')})`
}

/** RFC 5321, section 4.1.2: a name or a quoted text, then a domain or an address in brackets. */
export const isEmail = /* @__PURE__ */ matcher(() => mailbox('', label))

/** RFC 6531: beyond ASCII too. */
export const isIdnEmail = /* @__PURE__ */ matcher(() =>
  mailbox(
    '\\u{80}-\\u{10FFFF}',
    '[A-Za-z0-9\\u{80}-\\u{10FFFF}](?:[A-Za-z0-9\\-\\u{80}-\\u{10FFFF}]{0,61}[A-Za-z0-9\\u{80}-\\u{10FFFF}])?',
  ),
)

function mailbox(further: string, domainLabel: string): string {
  const atom = `[A-Za-z0-9!#$%&'*+\\/=?^_\`{|}~\\-${further}]+`
  const quoted = `"(?:[ !#-\\[\\]-~${further}]|\\\\[ -~])*"`
  return `(?:${atom}(?:\\.${atom})*|${quoted})@(?:${domainLabel}(?:\\.${domainLabel})*|\\[(?:${ipv4}|IPv6:${ipv6()})\\])`
}

/** RFC 3986: with a scheme. */
export const isUri = /* @__PURE__ */ matcher(() => absolute(''))
/** RFC 3986: with a scheme, or relative to something. */
export const isUriReference = /* @__PURE__ */ matcher(() => `(?:${absolute('')}|${relative('')})`)
/** RFC 3987. */
export const isIri = /* @__PURE__ */ matcher(() => absolute(beyondAscii))
/** RFC 3987. */
export const isIriReference = /* @__PURE__ */ matcher(() => `(?:${absolute(beyondAscii)}|${relative(beyondAscii)})`)

const beyondAscii =
  '\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{DFFFD}\\u{E1000}-\\u{EFFFD}'

function absolute(further: string): string {
  const { authorityAndPath, fromRoot, segment, rest, ending } = uriParts(further)
  return `[A-Za-z][A-Za-z0-9+\\-.]*:(?:${authorityAndPath}|${fromRoot}|${segment}+${rest})?${ending}`
}

function relative(further: string): string {
  const { authorityAndPath, fromRoot, firstOfRelative, rest, ending } = uriParts(further)
  return `(?:${authorityAndPath}|${fromRoot}|${firstOfRelative}+${rest})?${ending}`
}

function uriParts(further: string) {
  const plain = `A-Za-z0-9\\-._~!$&'()*+,;=${further}`
  const characters = (more: string) => `(?:[${plain}${more}]|%[0-9A-Fa-f]{2})`
  const segment = characters(':@')
  const rest = `(?:\\/${segment}*)*`
  const host = `(?:\\[(?:${ipv6()}|[Vv][0-9A-Fa-f]+\\.[${plain}:]+)\\]|${characters('')}*)`
  return {
    segment,
    rest,
    firstOfRelative: characters('@'),
    fromRoot: `\\/(?:${segment}+${rest})?`,
    authorityAndPath: `\\/\\/(?:${characters(':')}*@)?${host}(?::\\d*)?${rest}`,
    ending: `(?:\\?${characters(':@\\/?')}*)?(?:#${characters(':@\\/?')}*)?`,
  }
}

/** RFC 6570. */
export const isUriTemplate = /* @__PURE__ */ matcher(() => {
  const character = '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})'
  const variable = `${character}(?:\\.?${character})*(?::[1-9]\\d{0,3}|\\*)?`
  return `(?:[^\\u{0}-\\u{20}"'%<>\\\\^\`{|}\\u{7F}]|%[0-9A-Fa-f]{2}|\\{[+#.\\/;?&=,!@|]?${variable}(?:,${variable})*\\})*`
})

const pointer = '(?:\\/(?:[^~\\/]|~[01])*)*'
/** RFC 6901. */
export const isJsonPointer = /* @__PURE__ */ matcher(() => pointer)
/** The Internet-Draft "Relative JSON Pointers". */
export const isRelativeJsonPointer = /* @__PURE__ */ matcher(() => `(?:0|[1-9]\\d*)(?:#|${pointer})`)

/** A pattern of ECMA-262 with the u flag. */
export function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Compiled when first asked, so that an unused format costs nothing. */
function matcher(pattern: () => string): (text: string) => boolean {
  let compiled: RegExp | undefined
  return (text) => (compiled ??= new RegExp(`^(?:${pattern()})$`, 'su')).test(text)
}
