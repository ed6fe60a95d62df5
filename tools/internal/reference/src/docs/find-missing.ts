import type { OperationData, Values } from '../contract/operation-data.js'
import type { Problems } from '../form/problems.js'

/** The required parameters and fields of the body that are not filled in. */
export function findMissing({ parameters, body }: OperationData, values: Values): Problems {
  const isEmpty = (value: unknown) => value === undefined || value === ''
  const ofParameters = parameters
    .filter(({ required, in: place, name }) => required && isEmpty(values[place]?.[name]))
    .map(({ in: place, name }) => `${place}.${name}`)
  const given = (values.body ?? {}) as Readonly<Record<string, unknown>>
  const ofBody = (body?.schema.properties === undefined ? [] : (body.schema.required ?? []))
    .filter((name) => isEmpty(given[name]))
    .map((name) => `body.${name}`)
  return Object.fromEntries([...ofParameters, ...ofBody].map((place) => [place, 'Required']))
}
