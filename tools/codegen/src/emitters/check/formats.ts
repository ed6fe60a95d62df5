import { code, namespace, type Code } from '../../emit/code.js'

/** The test of a format. Undefined for a format that is an annotation. */
export function formatTest(format: string | undefined, kind: 'text' | 'number'): Code | undefined {
  const name = format === undefined ? undefined : (kind === 'text' ? texts : numbers).get(format)
  if (name === undefined) return undefined
  const module = name.endsWith('ostname')
    ? namespace('hosts', './host-names.js')
    : namespace('formats', './format-tests.js')
  return code`${module}.${name}`
}

const texts: ReadonlyMap<string, string> = new Map([
  ['date', 'isDate'],
  ['date-time', 'isDateTime'],
  ['time', 'isTime'],
  ['duration', 'isDuration'],
  ['email', 'isEmail'],
  ['idn-email', 'isIdnEmail'],
  ['hostname', 'isHostname'],
  ['idn-hostname', 'isIdnHostname'],
  ['ipv4', 'isIpv4'],
  ['ipv6', 'isIpv6'],
  ['uuid', 'isUuid'],
  ['uri', 'isUri'],
  ['url', 'isUri'],
  ['uri-reference', 'isUriReference'],
  ['iri', 'isIri'],
  ['iri-reference', 'isIriReference'],
  ['uri-template', 'isUriTemplate'],
  ['json-pointer', 'isJsonPointer'],
  ['relative-json-pointer', 'isRelativeJsonPointer'],
  ['regex', 'isRegex'],
  ['byte', 'isByte'],
])

const numbers: ReadonlyMap<string, string> = new Map([
  ['int32', 'isInt32'],
  ['int64', 'isInt64'],
])
