import { code, namespace, type Code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'

const z = namespace('z', 'zod')

/** A string of a format. A format that JSON Schema does not define, or that zod does not know, is an annotation. */
export function stringBase(format: string | undefined): Code {
  return formats[format ?? ''] ?? code`${z}.string()`
}

const matching = (pattern: string, name: string): Code =>
  code`${z}.string().regex(new RegExp(${literal(pattern)}, 'u'), ${literal(`Invalid ${name}`)})`

const offset = String.raw`(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)`

/** RFC 3986: a scheme, then only characters that a URI may hold, escapes whole. */
const uriCharacters = String.raw`(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*`

const formats: Readonly<Record<string, Code>> = {
  date: code`${z}.iso.date()`,
  'date-time': code`${z}.iso.datetime({ offset: true })`,
  time: matching(String.raw`^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?${offset}$`, 'time'),
  duration: code`${z}.iso.duration()`,
  email: code`${z}.email()`,
  hostname: code`${z}.hostname()`,
  ipv4: code`${z}.ipv4()`,
  ipv6: code`${z}.ipv6()`,
  uuid: code`${z}.guid()`,
  uri: matching(`^[A-Za-z][A-Za-z0-9+\\-.]*:${uriCharacters}$`, 'URI'),
  url: matching(`^[A-Za-z][A-Za-z0-9+\\-.]*:${uriCharacters}$`, 'URL'),
  'uri-reference': matching(`^${uriCharacters}$`, 'URI reference'),
}
