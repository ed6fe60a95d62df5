import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'

type Fields = Readonly<Record<string, unknown>>

/** Takes the whole input as the body, if there are no parameters. */
export function takeInput(_operation: OperationFacts, _body: BodyFacts, input: Fields): unknown {
  return input
}

/** The same for an optional body: without fields it is left out. */
export function takeGivenInput(
  _operation: OperationFacts,
  _body: BodyFacts,
  input: Fields,
): unknown {
  return Object.keys(input).length > 0 ? input : undefined
}

/** Takes all fields that are not parameters. An optional body without fields is left out. */
export function takeFields(
  { parameters = [] }: OperationFacts,
  { required }: BodyFacts,
  input: Fields,
): unknown {
  const fields = { ...input }
  for (const { field, name } of parameters) delete fields[field ?? name]
  for (const name of Object.keys(fields)) if (fields[name] === undefined) delete fields[name]
  return required || Object.keys(fields).length > 0 ? fields : undefined
}

/** Takes the field "body" as the whole body. */
export function takeBody({ id }: OperationFacts, { required }: BodyFacts, input: Fields): unknown {
  const value = Object.hasOwn(input, 'body') ? input['body'] : undefined
  if (value === undefined && required)
    throw new InvalidInputError(`${id}: the body is missing. Give it as the field "body".`)
  return value
}

/** Encodes JSON under the media type of the contract, which may be problem+json or the like. */
export function encodeJson(value: unknown, { contentType }: BodyFacts): PreparedBody {
  return { body: JSON.stringify(value), contentType }
}
