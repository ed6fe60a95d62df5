import * as tests from '../formats/format-tests.js'
import { isHostname, isIdnHostname } from '../formats/host-names.js'

const texts: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', tests.isDate],
  ['date-time', tests.isDateTime],
  ['time', tests.isTime],
  ['duration', tests.isDuration],
  ['email', tests.isEmail],
  ['idn-email', tests.isIdnEmail],
  ['hostname', isHostname],
  ['idn-hostname', isIdnHostname],
  ['ipv4', tests.isIpv4],
  ['ipv6', tests.isIpv6],
  ['uuid', tests.isUuid],
  ['uri', tests.isUri],
  ['url', tests.isUri],
  ['uri-reference', tests.isUriReference],
  ['iri', tests.isIri],
  ['iri-reference', tests.isIriReference],
  ['uri-template', tests.isUriTemplate],
  ['json-pointer', tests.isJsonPointer],
  ['relative-json-pointer', tests.isRelativeJsonPointer],
  ['regex', tests.isRegex],
  ['byte', tests.isByte],
])

const numbers: ReadonlyMap<string, (value: number) => boolean> = new Map([
  ['int32', tests.isInt32],
  ['int64', tests.isInt64],
])

/** Whether a value has a format. An unknown format is an annotation, so every value has it. */
export function isFormat(format: string, value: string | number): boolean {
  return typeof value === 'string'
    ? (texts.get(format)?.(value) ?? true)
    : (numbers.get(format)?.(value) ?? true)
}
