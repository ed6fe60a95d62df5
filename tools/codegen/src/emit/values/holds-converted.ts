import type { Api } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { holder } from '../holds.js'
import { oncePer } from '../once-per.js'
import type { Converted } from './convertible.js'

/** The converted kind of a node, if any. */
export function convertedKind(schema: Schema): Converted | undefined {
  return schema.kind === 'string' || schema.kind === 'number' ? schema.as : undefined
}

/** Whether the values of a schema contain a converted value anywhere. */
export const holdsConverted = holder((schema) => convertedKind(schema) !== undefined)

/** Whether the values of a schema contain a Date or a value of Temporal anywhere. */
export const holdsDate = holder((schema) => schema.kind === 'string' && schema.as !== undefined)

export const holdsTemporal = holder(
  (schema) => schema.kind === 'string' && (schema.as === 'Instant' || schema.as === 'PlainDate'),
)

const holdsBigint = holder((schema) => schema.kind === 'number' && schema.as !== undefined)

/** Whether there is a bigint anywhere. Then all numbers in JSON are parsed by their digits. */
export const hasBigints = oncePer((api: Api): boolean => {
  const { schemas, operations } = api
  const inOperations = operations.flatMap(({ parameters, body, responses }) => [
    ...parameters,
    ...(body?.contents ?? []),
    ...responses.flatMap(({ headers, contents }) => [...headers, ...contents]),
  ])
  return [...schemas, ...inOperations].some(({ schema }) => holdsBigint(api, schema))
})
