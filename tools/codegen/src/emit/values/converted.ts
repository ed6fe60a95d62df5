import type { Api } from '../../ir/api.js'
import { uniqueNames } from '../../ir/names.js'
import type { NumberNode, Schema, StringNode } from '../../ir/schema.js'
import { code, symbol } from '../code.js'
import { createHolds, oncePer } from '../schemas.js'
import type { TypeContext } from '../type-text.js'

export const dateModes = ['text', 'date', 'temporal'] as const
export const int64Modes = ['number', 'bigint'] as const

/**
 * How programs represent a `format: date-time`: as a string, a Date, or a Temporal.Instant. With
 * `temporal`, a `format: date` is a Temporal.PlainDate.
 */
export type DateMode = (typeof dateModes)[number]

/** How programs represent an integer of `format: int64`. */
export type Int64Mode = (typeof int64Modes)[number]

/** The value settings of a document. */
export type ValueModes = { readonly dates: DateMode; readonly int64: Int64Mode }

/** Whether all values stay as in JSON. */
export function arePlain({ dates, int64 }: ValueModes): boolean {
  return dates === 'text' && int64 === 'number'
}

/** The representation in programs of a JSON string or number. */
export type ConvertedKind = NonNullable<StringNode['as'] | NumberNode['as']>

/** The converted kind of a node. Undefined if it stays as in JSON. */
export function chooseConversion(
  schema: Schema,
  { dates, int64 }: ValueModes,
): ConvertedKind | undefined {
  if (schema.kind === 'number')
    return int64 === 'bigint' && fitsBigint(schema) ? 'bigint' : undefined
  if (schema.kind !== 'string' || dates === 'text') return undefined
  // a day is not an instant, so a Date does not fit
  if (schema.format === 'date')
    return dates === 'temporal' && admits(schema, '2030-01-31'.length) ? 'PlainDate' : undefined
  // as `Date.prototype.toISOString` writes it
  if (schema.format !== 'date-time' || !admits(schema, '2030-01-31T08:30:00.000Z'.length))
    return undefined
  return dates === 'temporal' ? 'Instant' : 'Date'
}

/** A fractional or unsafe `multipleOf` does not work with bigint. */
function fitsBigint({ integer, format, multipleOf = 1 }: NumberNode): boolean {
  return integer && format === 'int64' && Number.isSafeInteger(multipleOf)
}

/** Whether a string has no further constraints, so that another value can replace it. */
function admits(
  { minLength = 0, maxLength = Infinity, pattern }: StringNode,
  written: number,
): boolean {
  return pattern === undefined && minLength <= written && written <= maxLength
}

/** The converted kind of a node, if any. */
export function readConversion(schema: Schema): ConvertedKind | undefined {
  return schema.kind === 'string' || schema.kind === 'number' ? schema.as : undefined
}

/** The same as `createHolds`, for what only a converted model has. */
function createConvertedHolds(matches: (schema: Schema) => boolean) {
  const holds = createHolds(matches)
  return (api: Api, schema: Schema): boolean => api.isConverted === true && holds(api, schema)
}

/** Whether the values of a schema contain a converted value anywhere. */
export const holdsConverted = createConvertedHolds((schema) => readConversion(schema) !== undefined)

/** Whether the values of a schema contain a Date or a value of Temporal anywhere. */
export const holdsDate = createConvertedHolds(
  (schema) => schema.kind === 'string' && schema.as !== undefined,
)

export const holdsTemporal = createConvertedHolds(
  (schema) => schema.kind === 'string' && (schema.as === 'Instant' || schema.as === 'PlainDate'),
)

const holdsBigint = createConvertedHolds(
  (schema) => schema.kind === 'number' && schema.as !== undefined,
)

/** Whether there is a bigint anywhere. Then all numbers in JSON are parsed by their digits. */
export const hasBigints = oncePer((api: Api): boolean => {
  const { schemas, operations, isConverted } = api
  if (isConverted !== true) return false
  const inOperations = operations.flatMap(({ parameters, body, responses }) => [
    ...parameters,
    ...(body?.contents ?? []),
    ...responses.flatMap(({ headers, contents }) => [...headers, ...contents]),
  ])
  return [...schemas, ...inOperations].some(({ schema }) => holdsBigint(api, schema))
}, new WeakMap())

/** The date types in a file that declares the schemas of a document, whose names they avoid. */
export function createDateType({ schemas }: Api): NonNullable<TypeContext['date']> {
  const names = schemas.map(({ name }) => name)
  const temporal = symbol('Temporal', 'temporal-spec', {
    typeOnly: true,
    as: uniqueNames(names)('Temporal'),
  })
  const date = names.includes('Date') ? code`globalThis.Date` : code`Date`
  return (as) => (as === 'Date' ? date : code`${temporal}.${as}`)
}
