import type { Issue, Problem, Validator } from './operation-facts.js'

/** What a validator has against a value. Problems name kinds of values, and no value. */
export function findProblems(
  where: string,
  validator: Validator,
  value: unknown,
): readonly Problem[] {
  const { success, error } = (validator as Schema).safeParse(value)
  if (success) return []
  const problems = (error?.issues ?? []).map((issue) => createProblem(where, issue, value))
  return problems.length > 0
    ? problems
    : [{ where, found: describeKind(value), expected: 'what the document declares' }]
}

type Schema = {
  readonly safeParse: (value: unknown) => {
    readonly success: boolean
    readonly error?: { readonly issues: readonly Issue[] }
  }
}

function createProblem(where: string, issue: Issue, value: unknown): Problem {
  const found = issue.path.reduce<unknown>(
    (inner, key) =>
      inner === null || typeof inner !== 'object' ? undefined : Reflect.get(inner, key),
    value,
  )
  return {
    where: [where, ...issue.path.map(String)].join('.'),
    found: describeKind(found),
    expected: describeExpectation(issue),
  }
}

/** Zod's core has no messages, so what an issue has besides is told. */
function describeExpectation(issue: Issue & Readonly<Record<string, unknown>>): string {
  const { code, message, expected, format, values, minimum, maximum, divisor, keys } = issue
  const isOpen = issue['inclusive'] === false
  if (code === 'invalid_type' && typeof expected === 'string') return expected
  if (code === 'invalid_format' && typeof format === 'string') return `the format ${format}`
  if (code === 'invalid_value' && Array.isArray(values))
    return values.map((value) => JSON.stringify(value)).join(' or ')
  if (code === 'too_small') return `${isOpen ? 'more than' : 'at least'} ${String(minimum)}`
  if (code === 'too_big') return `${isOpen ? 'less than' : 'at most'} ${String(maximum)}`
  if (code === 'not_multiple_of') return `a multiple of ${String(divisor)}`
  if (code === 'unrecognized_keys' && Array.isArray(keys))
    return `no field ${keys.map((key) => JSON.stringify(key)).join(' or ')}`
  if (code === 'invalid_union') return 'one of the declared alternatives'
  return /^invalid(?: input)?$/i.test(message) ? 'what the document declares' : message
}

function describeKind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string')
    return `a string of ${value.length} character${value.length === 1 ? '' : 's'}`
  if (typeof value === 'number') return 'a number'
  if (Array.isArray(value))
    return `an array of ${value.length} item${value.length === 1 ? '' : 's'}`
  return value instanceof Blob ? `a file of ${value.size} bytes` : 'an object'
}
