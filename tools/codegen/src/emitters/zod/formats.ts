import { code, type Code } from '../../emit/code.js'
import { formats } from './modules.js'

/** The rule of a format of strings. A format without an entry is an annotation. */
export function textFormat(format: string | undefined): Code | undefined {
  return formatRule(format, texts)
}

/** The rule of a number format. Every JavaScript number is a `float` and a `double`. */
export function numberFormat(format: string | undefined): Code | undefined {
  return formatRule(format, numbers)
}

function formatRule(
  format: string | undefined,
  rules: ReadonlyMap<string, string>,
): Code | undefined {
  const name = format === undefined ? undefined : rules.get(format)
  return name === undefined ? undefined : code`${formats}.${name}`
}

const texts: ReadonlyMap<string, string> = new Map([
  ['date', 'date'],
  ['date-time', 'dateTime'],
  ['time', 'time'],
  ['duration', 'duration'],
  ['email', 'email'],
  ['idn-email', 'idnEmail'],
  ['hostname', 'hostname'],
  ['idn-hostname', 'idnHostname'],
  ['ipv4', 'ipv4'],
  ['ipv6', 'ipv6'],
  ['uuid', 'uuid'],
  ['uri', 'uri'],
  ['url', 'uri'],
  ['uri-reference', 'uriReference'],
  ['iri', 'iri'],
  ['iri-reference', 'iriReference'],
  ['uri-template', 'uriTemplate'],
  ['json-pointer', 'jsonPointer'],
  ['relative-json-pointer', 'relativeJsonPointer'],
  ['regex', 'regex'],
  ['byte', 'byte'],
])

const numbers: ReadonlyMap<string, string> = new Map([
  ['int32', 'int32'],
  ['int64', 'int64'],
])
