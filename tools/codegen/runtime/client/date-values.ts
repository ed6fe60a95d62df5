import type { BodyFacts } from './call.js'
import { isDateTime } from '../../src/formats/format-tests.js'
import { InvalidInputError } from './invalid-input-error.js'
import type { Revive } from './revive.js'
import { mapEncodedItems, isPlain } from './sent-items.js'

/**
 * A string of RFC 3339 as a Date. A Date has milliseconds and no offset: the rest is lost. A leap
 * second is the second after it. Any other value stays as it is, and a validator rejects it.
 */
export const date: Revive = (value) => {
  if (typeof value !== 'string' || !isDateTime(value)) return value
  const text = value.toUpperCase()
  return text.startsWith('60', 17)
    ? new Date(Date.parse(`${text.slice(0, 17)}59${text.slice(19)}`) + 1000)
    : new Date(text)
}

/** Reads a header that is a date; it is left out if it is not one. */
export function readDate(text: string): Date | undefined {
  const found = date(text.trim())
  return found instanceof Date ? found : undefined
}

/** The input, if RFC 3339 can write each Date in it. Else throws `InvalidInputError`. */
export function prepareInput<Input>(id: string, input: Input): Input {
  const seen = new Set<unknown>()
  const stack: (readonly [path: string, value: unknown])[] = [['', input]]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [path, value] = next
    // an invalid one has no text, and JSON would have null for it
    if (value instanceof Date && !/^\d{4}-/.test(value.toJSON() ?? ''))
      throw new InvalidInputError(
        `${id}: the Date at "${path.slice(1)}" is invalid, or its year is not one of 0 to 9999.`,
      )
    if (!(Array.isArray(value) || isPlain(value)) || seen.has(value)) continue
    seen.add(value)
    for (const [name, item] of Object.entries(value)) stack.push([`${path}.${name}`, item])
  }
  return input
}

/** Encodes items, each of which is checked before it is written. */
export function prepareItems(encode: BodyFacts['encode']): BodyFacts['encode'] {
  return mapEncodedItems(encode, prepareInput)
}
