import type { Schema } from './schema.js'

type Bounded = Pick<
  Schema,
  'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'exclusiveMinimum'
>

/** What a value must lie between, each in few words. */
export function bounds(schema: Bounded): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = schema
  return [
    ...range(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
  ]
}

function range(
  least: number | undefined,
  most: number | undefined,
  unit: string,
): readonly string[] {
  if (least !== undefined && most !== undefined)
    return [least === most ? `${least}${unit}` : `${least} to ${most}${unit}`]
  if (least !== undefined) return [`at least ${least}${unit}`]
  return most === undefined ? [] : [`at most ${most}${unit}`]
}
