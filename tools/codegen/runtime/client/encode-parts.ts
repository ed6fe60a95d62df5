import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { streamParts } from './part-bytes.js'

/**
 * Writes items as the parts of a multipart body, one when the one before it was sent. A Blob whose
 * type has a boundary is sent as it is. Items that can be made only once are sent by the first
 * attempt alone.
 */
export function encodeParts(value: unknown, body: BodyFacts, { id }: OperationFacts): PreparedBody {
  const { contentType, parts = { prefix: [] }, files = [], alsoValues = [] } = body
  if (value instanceof Blob && /;\s*boundary=/i.test(value.type))
    return { body: value, contentType: value.type }
  if (!isItems(value))
    throw new InvalidInputError(
      `${id}: the body is ${contentType}, so it must be an array of parts or make them; found ${typeof value}.`,
    )
  const boundary = `farebox-${crypto.randomUUID()}`
  const takes = files.length === 0 ? 'values' : alsoValues.length > 0 ? 'either' : 'files'
  const known = new Set<unknown>()
  return {
    contentType: `${contentType.replace(/;.*/s, '')}; boundary=${boundary}`,
    body: () => {
      const iterator =
        Symbol.asyncIterator in value ? value[Symbol.asyncIterator]() : value[Symbol.iterator]()
      if (known.has(iterator))
        throw new InvalidInputError(
          `${id}: the parts of the body were made for an earlier attempt and cannot be made again.`,
        )
      known.add(iterator)
      return streamParts(iterator, boundary, parts, takes)
    },
  }
}

/** A stream of bytes makes no items: it has a reader, or is piped. */
function isItems(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  return (
    (Symbol.asyncIterator in value && !('getReader' in value || 'pipe' in value)) ||
    Symbol.iterator in value
  )
}
