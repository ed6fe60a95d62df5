import type { BodyFacts, Draft, OperationFacts } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { putParameters } from './parameters.js'
import { mapEncodedItems } from './sent-items.js'
import { isRecord } from './text.js'

type Encode = BodyFacts['encode']

/** Writes all parameters, and rejects values that would not arrive unchanged. */
export function putChecked(
  draft: Draft,
  operation: OperationFacts,
  input: Readonly<Record<string, unknown>>,
): void {
  for (const { in: place, name, field = name, mediaType } of operation.parameters ?? [])
    if (Object.hasOwn(input, field))
      rejectLossy(
        operation.id,
        `the ${place} parameter "${name}"`,
        input[field],
        mediaType !== undefined,
      )
  putParameters(draft, operation, input)
}

/** Encodes a body of JSON, and rejects values that would not arrive unchanged. */
export function checkJson(encode: Encode): Encode {
  return (value, body, operation) => {
    rejectLossy(operation.id, 'body', value, true)
    return encode(value, body, operation)
  }
}

/** Encodes a form, and rejects fields that would not arrive unchanged. A record in it is JSON. */
export function checkForm(encode: Encode): Encode {
  return (value, body, operation) => {
    if (isRecord(value))
      for (const [name, field] of Object.entries(value)) {
        const isStyled = body.encoding?.[name]?.style !== undefined
        rejectLossy(
          operation.id,
          `body.${name}`,
          field,
          isRecord(field) && !isOpaque(field) && !isStyled,
        )
      }
    return encode(value, body, operation)
  }
}

/** Encodes items of JSON, and rejects those that would not arrive unchanged. */
export function checkItems(encode: Encode): Encode {
  return mapEncodedItems(encode, (id, item) => {
    rejectLossy(id, 'an item of the body', item, true)
    return item
  })
}

/**
 * Throws for what JSON or the text of a URL cannot hold: JSON has no NaN, no Infinity, no bigint
 * and no bytes, UTF-8 has no half of a surrogate pair, and a Map has no fields.
 */
function rejectLossy(
  id: string,
  place: string,
  value: unknown,
  isJson: boolean,
  above: readonly unknown[] = [],
): void {
  const found = describeLoss(value, isJson) ?? (above.includes(value) ? 'a cycle' : undefined)
  if (found !== undefined)
    throw new InvalidInputError(`${id}: ${place} is ${found}, which cannot be sent.`)
  if (typeof value !== 'object' || value === null || isOpaque(value)) return
  for (const [key, item] of Object.entries(value)) {
    const at = `${place}.${key}`
    if (describeLoss(key, isJson) !== undefined) rejectLossy(id, `a name in ${place}`, key, isJson)
    rejectLossy(id, at, item, isJson, [...above, value])
  }
}

/** What writes itself, and files. */
function isOpaque(value: object): boolean {
  return (
    'toJSON' in value ||
    value instanceof Blob ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value) ||
    Symbol.asyncIterator in value ||
    'stream' in value
  )
}

function describeLoss(value: unknown, isJson: boolean): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) return 'half of a surrogate pair'
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date'
  if (value instanceof Map || value instanceof Set)
    return `a ${value.constructor.name}, which has no fields`
  if (!isJson) return undefined
  if (value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return 'bytes within JSON'
  return typeof value === 'bigint' && !canWrite(value) ? 'a bigint' : undefined
}

/** A client with bigints has a JSON of its own. */
function canWrite(value: bigint): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}
