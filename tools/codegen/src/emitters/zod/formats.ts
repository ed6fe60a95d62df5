import { code, namespace, symbol, type Code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'

const z = namespace('z', 'zod')

/** A string of a format. Where zod's own notion is that of JSON Schema, zod's is used. A format without an entry is an annotation. */
export function stringBase(format: string | undefined): Code {
  return (format !== undefined && formats.get(format)) || code`${z}.string()`
}

const checked = (check: string, name: string): Code =>
  code`${z}.string().refine(${symbol(check, './formats.js')}, ${literal(`Invalid string: expected ${name}`)})`

const formats: ReadonlyMap<string, Code> = new Map([
  ['date', code`${z}.iso.date()`],
  ['date-time', checked('isDateTime', 'a date and time with an offset (RFC 3339), such as 2030-01-31T08:30:00Z')],
  ['time', checked('isTime', 'a time with an offset (RFC 3339), such as 08:30:00Z')],
  ['duration', checked('isDuration', 'a duration (ISO 8601), such as P1DT12H')],
  ['email', checked('isEmail', 'an email address')],
  ['idn-email', checked('isIdnEmail', 'an email address')],
  ['hostname', checked('isHostname', 'a host name')],
  ['ipv4', code`${z}.ipv4()`],
  ['ipv6', code`${z}.ipv6()`],
  ['uuid', code`${z}.guid()`],
  ['uri', checked('isUri', 'a URI with a scheme')],
  ['url', checked('isUri', 'a URL with a scheme')],
  ['uri-reference', checked('isUriReference', 'a URI reference')],
  ['iri', checked('isIri', 'an IRI with a scheme')],
  ['iri-reference', checked('isIriReference', 'an IRI reference')],
  ['uri-template', checked('isUriTemplate', 'a URI template (RFC 6570)')],
  ['json-pointer', checked('isJsonPointer', 'a JSON pointer (RFC 6901)')],
  ['relative-json-pointer', checked('isRelativeJsonPointer', 'a relative JSON pointer')],
  ['regex', checked('isRegex', 'a regular expression')],
])
