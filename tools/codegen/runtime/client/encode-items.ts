import { encodeRaw } from './encode-raw.js'
import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { isFileInput } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'

type Write = (json: string) => string

/** Writes items as lines of JSON. Text, bytes and files are sent as they are. */
export function encodeLines(
  value: unknown,
  body: BodyFacts,
  operation: OperationFacts,
): PreparedBody | Promise<PreparedBody> {
  return encodeItems(value, body, operation, (json) => `${json}\n`)
}

/** Writes items as a JSON text sequence (RFC 7464). Text, bytes and files are sent as they are. */
export function encodeSequence(
  value: unknown,
  body: BodyFacts,
  operation: OperationFacts,
): PreparedBody | Promise<PreparedBody> {
  return encodeItems(value, body, operation, (json) => `\x1E${json}\n`)
}

/** An array is sent whole. Items that a generator makes are sent as it makes them. */
function encodeItems(
  value: unknown,
  body: BodyFacts,
  operation: OperationFacts,
  write: Write,
): PreparedBody | Promise<PreparedBody> {
  const { contentType } = body
  if (isAsync(value)) return { body: createStreamFactory(value, operation, write), contentType }
  if (typeof value !== 'object' || value === null || isFileInput(value, 'values'))
    return encodeRaw(value, body, operation)
  if (Symbol.iterator in value)
    return {
      body: Array.from(value as Iterable<unknown>, (item) => write(JSON.stringify(item))).join(''),
      contentType,
    }
  throw new InvalidInputError(
    `${operation.id}: the body is ${contentType}, so it must be an array of items or make them; found an object.`,
  )
}

/** A stream of bytes makes no items: it has a reader, or is piped. */
function isAsync(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Symbol.asyncIterator in value &&
    !('getReader' in value || 'pipe' in value)
  )
}

/** Makes a body for each attempt. Only the first has one, where the items can be made only once. */
function createStreamFactory(
  items: AsyncIterable<unknown>,
  { id }: OperationFacts,
  write: Write,
): () => ReadableStream<Uint8Array> {
  const known = new Set<AsyncIterator<unknown>>()
  return () => {
    const iterator = items[Symbol.asyncIterator]()
    if (known.has(iterator))
      throw new InvalidInputError(
        `${id}: the items of the body were made for an earlier attempt and cannot be made again.`,
      )
    known.add(iterator)
    const encoder = new TextEncoder()
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(write(JSON.stringify(value))))
      },
      cancel: async () => void (await iterator.return?.()),
    })
  }
}
