import type { ResponseReader } from './call.js'
import type { ItemStream } from './stream.js'
import { isRecord } from './text.js'

/** Puts dates and bigints into a parsed value, which it may change, and returns it. */
export type Revive = (value: unknown) => unknown

/** The elements of an array: the first by their own rules, the others by one. */
export function reviveItems(
  items: Revive | undefined,
  prefix: readonly (Revive | undefined)[] = [],
): Revive {
  return (value) => {
    if (!Array.isArray(value)) return value
    for (const [index, item] of value.entries())
      value[index] = (index < prefix.length ? prefix[index] : items)?.(item) ?? item
    return value
  }
}

/** Named properties, and with `rest` all others except those of `known`. */
export function reviveFields(
  named: Readonly<Record<string, Revive>>,
  rest?: Revive,
  known: readonly string[] = [],
): Revive {
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
export function reviveTagged(property: string, options: Readonly<Record<string, Revive>>): Revive {
  const known = new Map(Object.entries(options))
  return (value) =>
    isRecord(value) ? (known.get(String(value[property]))?.(value) ?? value) : value
}

/** Several, each of which changes only what is meant for it. */
export function reviveAll(...all: readonly Revive[]): Revive {
  return (value) => all.reduce((found, revive) => revive(found), value)
}

/** One that is declared later. */
export function deferReviver(get: () => Revive): Revive {
  return (value) => get()(value)
}

/** Reads a response with its values. */
export function readRevived(read: ResponseReader, revive: Revive): ResponseReader {
  return async (...args) => revive(await read(...args))
}

/** Reads the items of a response with their values. */
export function readRevivedItems(read: ResponseReader, revive: Revive): ResponseReader {
  return (...args) => {
    const stream = read(...args) as ItemStream<unknown>
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

/** Reads a header with its values. */
export function readRevivedHeader(
  read: (text: string) => unknown,
  revive: Revive,
): (text: string) => unknown {
  return (text) => revive(read(text))
}
