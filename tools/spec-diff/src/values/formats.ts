import type { StringRules } from './languages.js'

/**
 * Rules that all strings of a format meet, so that a bound of length or a pattern may bound
 * nothing. They accept more than validators do. Other formats, such as `email`, have no rules:
 * their strings have many forms.
 */
export function findFormatRules(format: string | undefined): StringRules | undefined {
  return format === undefined ? undefined : rules.get(format)
}

/** Rules whose strings all have a format, though others may have it too. */
export function findSufficientRules(format: string | undefined): StringRules | undefined {
  return format === undefined ? undefined : sufficient.get(format)
}

const day = '\\d{4}-\\d\\d-\\d\\d'
const digit = '[A-Za-z\\d+/]'
const clock = '\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:[Zz]|[+-]\\d\\d:\\d\\d)'

/** Numbers of units, in their order. */
function printUnits(units: string): string {
  return units.replaceAll(/./g, String.raw`(?:\d+$&)?`)
}

const rules: ReadonlyMap<string, StringRules> = new Map([
  ['date', { pattern: `^${day}$`, minLength: 10, maxLength: 10 }],
  ['date-time', { pattern: `^${day}[Tt]${clock}$`, minLength: 20 }],
  ['time', { pattern: `^${clock}$`, minLength: 9 }],
  ['duration', { pattern: `^P${printUnits('YMWD')}(?:T${printUnits('HMS')})?$`, minLength: 3 }],
  ['byte', { pattern: `^(?:${digit}{4})*(?:${digit}{2}==|${digit}{3}=)?$` }],
  ['ipv4', { pattern: '^\\d{1,3}(?:\\.\\d{1,3}){3}$', minLength: 7, maxLength: 15 }],
  [
    'uuid',
    {
      pattern: '^[\\dA-Fa-f]{8}(?:-[\\dA-Fa-f]{4}){3}-[\\dA-Fa-f]{12}$',
      minLength: 36,
      maxLength: 36,
    },
  ],
])

const base64 = rules.get('byte') ?? {}
const inPath = String.raw`[\w.~!$&'()*+,;=:@-]`
/** A scheme and a path without a host: `arn:aws:s3`. */
const rootless: StringRules = { pattern: `^[A-Za-z][A-Za-z\\d+.-]*:${inPath}(?:${inPath}|/)*$` }

const sufficient: ReadonlyMap<string, StringRules> = new Map([
  ['byte', base64],
  ['uri', rootless],
  ['uri-reference', rootless],
  ['iri', rootless],
  ['iri-reference', rootless],
])
