import type { BodyFacts } from './call.js'
import { isFileInput } from './files.js'
import { isRecord } from './text.js'

/** Encodes items, each of which goes through a function before it is written. */
export function mapEncodedItems(encode: BodyFacts['encode'], change: Change): BodyFacts['encode'] {
  return (value, body, operation) =>
    encode(
      mapItems((item) => change(operation.id, item), value),
      body,
      operation,
    )
}

type Change = (id: string, item: unknown) => unknown

function mapItems(change: (item: unknown) => unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Symbol.asyncIterator in value && !('getReader' in value || 'pipe' in value))
    return mapAsyncItems(change, value as AsyncIterable<unknown>)
  if (isFileInput(value, 'values') || !(Symbol.iterator in value)) return value
  return Array.from(value as Iterable<unknown>, (item) => change(item))
}

function mapAsyncItems(
  change: (item: unknown) => unknown,
  items: AsyncIterable<unknown>,
): AsyncIterable<unknown> {
  const known = new WeakMap<AsyncIterator<unknown>, AsyncIterator<unknown>>()
  // items that can be made only once have one iterator, by which the encoder tells them
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = items[Symbol.asyncIterator]()
      const changed = known.get(iterator) ?? mapIterator(change, iterator)
      known.set(iterator, changed)
      return changed
    },
  }
}

function mapIterator(
  change: (item: unknown) => unknown,
  iterator: AsyncIterator<unknown>,
): AsyncIterator<unknown> {
  return {
    next: async () => {
      const found = await iterator.next()
      return found.done === true ? found : { value: change(found.value) }
    },
    return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
  }
}

/** Not a file, a stream or the like. */
export function isPlain(value: unknown): value is object {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
