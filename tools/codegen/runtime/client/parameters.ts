import type { Draft, OperationFacts, ParameterFacts } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { encodeStrictly, toPlainString } from './text.js'

/** Writes all parameters into a call. */
export function putParameters(
  draft: Draft,
  operation: OperationFacts,
  input: Readonly<Record<string, unknown>>,
): void {
  for (const parameter of operation.parameters ?? []) {
    const { name, field = name } = parameter
    const value = Object.hasOwn(input, field) ? input[field] : undefined
    const text =
      value === undefined || value === null ? undefined : parameter.write(parameter, value)
    if (text === undefined) parameter.missing?.(operation, parameter)
    else parameter.put(draft, text, operation, parameter)
  }
}

/** Writes a scalar into a header. */
export function writeText(_parameter: ParameterFacts, value: unknown): string {
  return toPlainString(value)
}

/** Writes a scalar into the path. */
export function writeSegment(_parameter: ParameterFacts, value: unknown): string {
  return encodeStrictly(toPlainString(value))
}

/** Writes a scalar into the query or a cookie. */
export function writePair({ name }: ParameterFacts, value: unknown): string {
  return `${encodeStrictly(name)}=${encodeStrictly(toPlainString(value))}`
}

/**
 * A segment `.` or `..` cannot be written in a URL, not even escaped: the path would change (URL
 * standard, "path state"). An empty segment changes the path too.
 */
export function putPath(
  draft: Draft,
  text: string,
  operation: OperationFacts,
  parameter: ParameterFacts,
): void {
  if (text === '') rejectMissing(operation, parameter)
  draft.path = draft.path.replaceAll(`{${parameter.name}}`, () => text)
  const segment = draft.path.split(/[/?]/).find((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  if (segment === undefined) return
  throw new InvalidInputError(
    `${operation.id}: a value for the path ${operation.path} is ${JSON.stringify(segment)}, which no URL can hold. Give another.`,
  )
}

export function putQuery(draft: Draft, text: string): void {
  draft.path += (draft.path.includes('?') ? '&' : '?') + text
}

/** The message of the platform would quote the value, which may be secret. */
export function putHeader(
  { headers }: Draft,
  text: string,
  operation: OperationFacts,
  { name, field = name }: ParameterFacts,
): void {
  try {
    headers.set(name, text)
  } catch {
    throw new InvalidInputError(
      `${operation.id}: the header parameter "${name}" cannot carry the value of "${field}": a header takes Latin-1 text of one line.`,
    )
  }
}

export function putCookie({ headers }: Draft, text: string): void {
  const others = headers.get('cookie')
  headers.set('cookie', others === null ? text : `${others}; ${text}`)
}

export function rejectMissing(
  { id }: OperationFacts,
  { in: place, name, field = name }: ParameterFacts,
): void {
  throw new InvalidInputError(
    `${id}: the ${place} parameter "${name}" is required, and the input has no "${field}".`,
  )
}
