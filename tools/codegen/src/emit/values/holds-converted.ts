import type { Api } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'
import { holder } from '../holds.js'
import { oncePer } from '../once-per.js'
import type { Converted } from './convertible.js'

/** What a node is for programs, where that is not what JSON has. */
export function convertedKind(schema: Schema): Converted | undefined {
  return schema.kind === 'string' || schema.kind === 'number' ? schema.as : undefined
}

/** Whether programs have another value than JSON anywhere in the values of a schema. */
export const holdsConverted = holder((schema) => convertedKind(schema) !== undefined)

/** Whether a Date, or a value of Temporal, stands anywhere in the values of a schema. */
export const holdsDate = holder((schema) => schema.kind === 'string' && schema.as !== undefined)

export const holdsTemporal = holder((schema) => schema.kind === 'string' && (schema.as === 'Instant' || schema.as === 'PlainDate'))

const holdsBigint = holder((schema) => schema.kind === 'number' && schema.as !== undefined)

/** Whether programs have a bigint anywhere. Then all numbers of JSON are read by their digits. */
export const hasBigints = oncePer((api: Api): boolean => {
  const { schemas, operations } = api
  const inOperations = operations.flatMap(({ parameters, body, responses }) => [
    ...parameters,
    ...(body?.contents ?? []),
    ...responses.flatMap(({ headers, contents }) => [...headers, ...contents]),
  ])
  return [...schemas, ...inOperations].some(({ schema }) => holdsBigint(api, schema))
})
