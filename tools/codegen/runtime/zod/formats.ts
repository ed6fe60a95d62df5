import { createRule, type Rule } from './checks.js'
import * as tests from '../../src/formats/format-tests.js'
import { isHostname, isIdnHostname } from '../../src/formats/host-names.js'

export const date: Rule<string> = /* @__PURE__ */ createStringRule(
  'date',
  'a date (RFC 3339), such as 2030-01-31',
  tests.isDate,
)
export const dateTime: Rule<string> = /* @__PURE__ */ createStringRule(
  'date-time',
  'a date and time with an offset (RFC 3339), such as 2030-01-31T08:30:00Z',
  tests.isDateTime,
)
export const time: Rule<string> = /* @__PURE__ */ createStringRule(
  'time',
  'a time with an offset (RFC 3339), such as 08:30:00Z',
  tests.isTime,
)
export const duration: Rule<string> = /* @__PURE__ */ createStringRule(
  'duration',
  'a duration (ISO 8601), such as P1DT12H',
  tests.isDuration,
)
export const hostname: Rule<string> = /* @__PURE__ */ createStringRule(
  'hostname',
  'a host name',
  isHostname,
)
export const idnHostname: Rule<string> = /* @__PURE__ */ createStringRule(
  'idn-hostname',
  'a host name',
  isIdnHostname,
)
export const ipv4: Rule<string> = /* @__PURE__ */ createStringRule(
  'ipv4',
  'an IPv4 address',
  tests.isIpv4,
)
export const ipv6: Rule<string> = /* @__PURE__ */ createStringRule(
  'ipv6',
  'an IPv6 address',
  tests.isIpv6,
)
export const email: Rule<string> = /* @__PURE__ */ createStringRule(
  'email',
  'an email address',
  tests.isEmail,
)
export const idnEmail: Rule<string> = /* @__PURE__ */ createStringRule(
  'idn-email',
  'an email address',
  tests.isIdnEmail,
)
export const uri: Rule<string> = /* @__PURE__ */ createStringRule(
  'uri',
  'a URI with a scheme',
  tests.isUri,
)
export const uriReference: Rule<string> = /* @__PURE__ */ createStringRule(
  'uri-reference',
  'a URI reference',
  tests.isUriReference,
)
export const iri: Rule<string> = /* @__PURE__ */ createStringRule(
  'iri',
  'an IRI with a scheme',
  tests.isIri,
)
export const iriReference: Rule<string> = /* @__PURE__ */ createStringRule(
  'iri-reference',
  'an IRI reference',
  tests.isIriReference,
)
export const uriTemplate: Rule<string> = /* @__PURE__ */ createStringRule(
  'uri-template',
  'a URI template (RFC 6570)',
  tests.isUriTemplate,
)
export const jsonPointer: Rule<string> = /* @__PURE__ */ createStringRule(
  'json-pointer',
  'a JSON pointer (RFC 6901)',
  tests.isJsonPointer,
)
export const relativeJsonPointer: Rule<string> = /* @__PURE__ */ createStringRule(
  'relative-json-pointer',
  'a relative JSON pointer',
  tests.isRelativeJsonPointer,
)
export const regex: Rule<string> = /* @__PURE__ */ createStringRule(
  'regex',
  'a regular expression',
  tests.isRegex,
)
export const uuid: Rule<string> = /* @__PURE__ */ createStringRule(
  'uuid',
  'a UUID, such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  tests.isUuid,
)
export const byte: Rule<string> = /* @__PURE__ */ createStringRule(
  'byte',
  'bytes in base64 with padding (RFC 4648)',
  tests.isByte,
)
export const int32: Rule<number> = /* @__PURE__ */ createIntegerRule('int32', tests.isInt32)
export const int64: Rule<number> = /* @__PURE__ */ createIntegerRule('int64', tests.isInt64)

function createStringRule(
  format: string,
  expected: string,
  test: (text: string) => boolean,
): Rule<string> {
  return createRule(test, `Invalid string: expected ${expected}`, {
    code: 'invalid_format',
    format,
  })
}

function createIntegerRule(format: string, test: (value: number) => boolean): Rule<number> {
  return createRule(test, `Invalid number: expected an integer of ${format}`)
}
