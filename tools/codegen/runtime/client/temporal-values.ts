import type { Temporal } from 'temporal-spec'
import type { BodyFacts } from './call.js'
import { isDate, isDateTime } from '../../src/formats/format-tests.js'
import { InvalidInputError } from './invalid-input-error.js'
import type { Revive } from './revive.js'
import { mapEncodedItems, isPlain } from './sent-items.js'

/**
 * A string of RFC 3339 as a moment, to the nanosecond. The offset is lost. A leap second is the
 * second after it. Any other value stays as it is, and a validator rejects it.
 */
export const instant: Revive = (value) => {
  if (typeof value !== 'string' || !isDateTime(value)) return value
  const text = value.toUpperCase().replace(/(\.\d{9})\d+/, '$1')
  const { Instant } = requireTemporal()
  return text.startsWith('60', 17)
    ? Instant.from(`${text.slice(0, 17)}59${text.slice(19)}`).add({ seconds: 1 })
    : Instant.from(text)
}

/** A string of RFC 3339 as a day. Any other value stays as it is, and a validator rejects it. */
export const plainDate: Revive = (value) =>
  typeof value === 'string' && isDate(value) ? requireTemporal().PlainDate.from(value) : value

/** Reads a header that is a moment; it is left out if it is not one. */
export function readInstant(text: string): unknown {
  return dropString(instant(text.trim()))
}

/** Reads a header that is a day; it is left out if it is not one. */
export function readPlainDate(text: string): unknown {
  return dropString(plainDate(text.trim()))
}

function dropString(value: unknown): unknown {
  return typeof value === 'string' ? undefined : value
}

/**
 * A copy of the input with the text of RFC 3339 for each value of Temporal. Throws
 * `InvalidInputError` for one that has none.
 */
export function prepareInput<Input>(id: string, input: Input): Input {
  const copies = new Map<unknown, unknown>()
  const stack: (() => void)[] = []
  const copyValue = (value: unknown, path: string): unknown => {
    const tag = Object.prototype.toString.call(value)
    if (tag === '[object Temporal.Instant]' || tag === '[object Temporal.PlainDate]')
      return printDate(id, value as Temporal.PlainDate, path)
    if (!(Array.isArray(value) || isPlain(value))) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    const copy = Array.isArray(value) ? Array.from<unknown>({ length: value.length }) : {}
    copies.set(value, copy)
    for (const [name, item] of Object.entries(value))
      stack.push(() => {
        Object.defineProperty(copy, name, {
          value: copyValue(item, `${path}.${name}`),
          configurable: true,
          enumerable: true,
          writable: true,
        })
      })
    return copy
  }
  const copied = copyValue(input, '')
  for (let at = 0; at < stack.length; at++) stack[at]?.()
  return copied as Input
}

/** Without a calendar, which RFC 3339 has no place for. */
function printDate(id: string, value: Temporal.PlainDate, path: string): string {
  const text = value.toString({ calendarName: 'never' })
  if (/^\d{4}-/.test(text)) return text
  throw new InvalidInputError(
    `${id}: the year of the date at "${path.slice(1)}" is not one of 0 to 9999.`,
  )
}

/** Encodes items, each of which has texts in place of values of Temporal. */
export function prepareItems(encode: BodyFacts['encode']): BodyFacts['encode'] {
  return mapEncodedItems(encode, prepareInput)
}

/** Asked for late, so that a program may load it after this module. */
function requireTemporal(): typeof Temporal {
  const found = (globalThis as { Temporal?: unknown }).Temporal
  if (found === undefined)
    throw new TypeError(
      'This runtime has no Temporal. Import "temporal-polyfill/global" before the first call.',
    )
  return found as typeof Temporal
}
