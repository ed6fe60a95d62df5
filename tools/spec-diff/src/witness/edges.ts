import type { Of } from '@farebox/codegen'

/** Numbers at and beside the bounds of a schema. */
export function bareNumbers(schema: Of<'number'>): readonly number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter(
    (bound) => bound !== undefined,
  )
  const beside = bounds.flatMap((bound) => [bound, bound - 1, bound + 1, bound + 0.5])
  const multiples = multipleOf === undefined ? [] : [multipleOf, 2 * multipleOf, multipleOf / 2]
  return [...beside, ...multiples, 1, 0, -1, 0.5, ...beyondFormats]
}

/** Whole numbers outside of `int32` and of `int64`. */
const beyondFormats = [2 ** 31, 1e300]

/** Longer texts show nothing that a reader wants to see. */
const longest = 200

/** Texts at and beside the bounds of a schema, and some of each format. */
export function bareTexts({ minLength, maxLength }: Of<'string'>): readonly string[] {
  const lengths = [minLength, maxLength].flatMap((bound) =>
    bound === undefined ? [] : [bound, bound - 1, bound + 1],
  )
  const sized = lengths
    .filter((length) => length >= 0 && length <= longest)
    .map((length) => 'a'.repeat(length))
  return [...sized, 'text', '', 'a', 'A1', '1', ...ofFormats]
}

const ofFormats = [
  '2026-01-31T12:00:00Z',
  '2026-01-31',
  '12:00:00Z',
  'P1D',
  'ada@example.com',
  'example.com',
  '192.0.2.1',
  '2001:db8::1',
  'https://example.com/a',
  '/a/b',
  '123e4567-e89b-42d3-a456-426614174000',
  'YQ==',
]
