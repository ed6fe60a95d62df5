import { takeFields } from './body.js'
import type { BodyFacts, OperationFacts } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { isRecord } from './text.js'

/**
 * Takes all fields that are not parameters, and those in the field "requestBody". An optional body
 * without fields is left out.
 */
export function takeNested(
  operation: OperationFacts,
  body: BodyFacts,
  input: Readonly<Record<string, unknown>>,
): unknown {
  const { requestBody = {}, ...flat } = input
  if (!isRecord(requestBody))
    throw new InvalidInputError(
      `${operation.id}: the field "requestBody" must be an object of fields.`,
    )
  const inner = Object.entries(requestBody).filter(([, value]) => value !== undefined)
  const fields = takeFields(operation, inner.length > 0 ? { ...body, required: true } : body, flat)
  return fields === undefined ? undefined : { ...fields, ...Object.fromEntries(inner) }
}
