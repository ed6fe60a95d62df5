import type { BodyFacts, Read } from './call.js'
import { isFileInput } from './files.js'
import { isDateTime } from './format-tests.js'
import { InvalidInputError } from './invalid-input-error.js'
import type { ItemStream } from './stream.js'
import { isRecord } from './text.js'

/** Puts dates into a parsed value, which it may change, and returns it. */
export type Revive = (value: unknown) => unknown

/**
 * A text of RFC 3339 as a Date. A Date has milliseconds and no offset: the rest is lost. A leap
 * second is the second after it. Any other value stays as it is, and a validator refuses it.
 */
export const date: Revive = (value) => {
  if (typeof value !== 'string' || !isDateTime(value)) return value
  const text = value.toUpperCase()
  return text.startsWith('60', 17) ? new Date(Date.parse(`${text.slice(0, 17)}59${text.slice(19)}`) + 1000) : new Date(text)
}

/** The elements of a list: the first by their own rules, the others by one. */
export function each(items: Revive | undefined, prefix: readonly (Revive | undefined)[] = []): Revive {
  return (value) => {
    if (!Array.isArray(value)) return value
    for (const [index, item] of value.entries()) value[index] = (index < prefix.length ? prefix[index] : items)?.(item) ?? item
    return value
  }
}

/** Named properties, and with `rest` all others except those of `known`. */
export function fields(named: Readonly<Record<string, Revive>>, rest?: Revive, known: readonly string[] = []): Revive {
  const revivers = new Map(Object.entries(named))
  const others = new Set(known)
  return (value) => {
    if (!isRecord(value)) return value
    const target = value as Record<string, unknown>
    for (const [name, item] of Object.entries(value)) {
      const revive = revivers.get(name) ?? (others.has(name) ? undefined : rest)
      if (revive !== undefined) target[name] = revive(item)
    }
    return value
  }
}

/** By the property that tells options apart. */
export function tagged(property: string, options: Readonly<Record<string, Revive>>): Revive {
  const known = new Map(Object.entries(options))
  return (value) => (isRecord(value) ? (known.get(String(value[property]))?.(value) ?? value) : value)
}

/** Several. Each changes only its own values. */
export function every(...all: readonly Revive[]): Revive {
  return (value) => all.reduce((found, revive) => revive(found), value)
}

/** One that is declared later. */
export function late(get: () => Revive): Revive {
  return (value) => get()(value)
}

/** Reads a response with its dates. */
export function dated(read: Read, revive: Revive): Read {
  return async (...given) => revive(await read(...given))
}

/** Reads the items of a response with their dates. */
export function datedItems(read: Read, revive: Revive): Read {
  return (...given) => {
    const stream = read(...given) as ItemStream<unknown>
    const { next } = stream
    // it is the reader's own object, whose other fields change as it is read
    const result: ItemStream<unknown> = Object.assign(stream, {
      next: async () => {
        const found = await next()
        return found.done === true ? found : { done: false, value: revive(found.value) }
      },
      [Symbol.asyncIterator]: () => result,
    })
    return result
  }
}

/** Reads a header with its dates. */
export function datedHeader(read: (text: string) => unknown, revive: Revive): (text: string) => unknown {
  return (text) => revive(read(text))
}

/** Reads a header that is a date; it is left out where it is none. */
export function readDate(text: string): Date | undefined {
  const found = date(text.trim())
  return found instanceof Date ? found : undefined
}

/** The input, if RFC 3339 can write each Date in it. Else throws `InvalidInputError`. */
export function sendable<Input>(id: string, input: Input): Input {
  const seen = new Set<unknown>()
  const stack: (readonly [path: string, value: unknown])[] = [['', input]]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [path, value] = next
    // an invalid one has no text, and JSON would have null for it
    if (value instanceof Date && !/^\d{4}-/.test(value.toJSON() ?? ''))
      throw new InvalidInputError(`${id}: the Date at "${path.slice(1)}" is invalid, or its year is not one of 0 to 9999.`)
    if (!(Array.isArray(value) || isPlain(value)) || seen.has(value)) continue
    seen.add(value)
    for (const [name, item] of Object.entries(value)) stack.push([`${path}.${name}`, item])
  }
  return input
}

/** Not a file, a stream or the like. */
function isPlain(value: unknown): value is object {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Encodes items. Each is checked before it is written. */
export function sendableItems(encode: BodyFacts['encode']): BodyFacts['encode'] {
  return (value, body, operation) => encode(checkedItems(operation.id, value), body, operation)
}

function checkedItems(id: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Symbol.asyncIterator in value && !('getReader' in value || 'pipe' in value))
    return checkedOnTheWay(id, value as AsyncIterable<unknown>)
  if (isFileInput(value, 'values') || !(Symbol.iterator in value)) return value
  return Array.from(value as Iterable<unknown>, (item) => sendable(id, item))
}

function checkedOnTheWay(id: string, items: AsyncIterable<unknown>): AsyncIterable<unknown> {
  const known = new WeakMap<AsyncIterator<unknown>, AsyncIterator<unknown>>()
  // items that can be made only once have one iterator, by which the encoder tells them
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items[Symbol.asyncIterator]()
      const checked = known.get(iterator) ?? checkedIterator(id, iterator)
      known.set(iterator, checked)
      return checked
    },
  }
}

function checkedIterator(id: string, iterator: AsyncIterator<unknown>): AsyncIterator<unknown> {
  return {
    next: async () => {
      const found = await iterator.next()
      return found.done === true ? found : { value: sendable(id, found.value) }
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  }
}
