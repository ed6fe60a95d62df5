/**
 * The formats of strings that the outputs check, each with the name of its rule. Any other format is
 * an annotation.
 */
export const stringFormats: ReadonlyMap<string, string> = new Map([
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
  ['iri', 'iri'],
  ['uri-reference', 'uriReference'],
  ['iri-reference', 'iriReference'],
  ['uri-template', 'uriTemplate'],
  ['json-pointer', 'jsonPointer'],
  ['relative-json-pointer', 'relativeJsonPointer'],
  ['byte', 'byte'],
  ['regex', 'regex'],
])

/** The same for numbers. Every JavaScript number is a `float` and a `double`. */
export const numberFormats: ReadonlyMap<string, string> = new Map([
  ['int32', 'int32'],
  ['int64', 'int64'],
])
