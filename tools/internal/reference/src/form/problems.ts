import type { OperationData, Values } from '../contract/operation-data.js'
import type { Issue } from './validators.js'

/** Messages about invalid values, by their place: `body.elements.0.video_url`. */
export type Problems = Readonly<Record<string, string>>

/** Checks values with the validators of the service, which load on first use. */
export async function findProblems(operation: OperationData, values: Values): Promise<Problems> {
  const { validators } = await import('./validators.js')
  const { path, query, body } = validators[operation.id] ?? {}
  const checks = [
    ['path', path, values.path],
    ['query', query, values.query],
    ['body', body?.[operation.body?.mediaType ?? ''], values.body],
  ] as const
  const problems = checks.flatMap(([place, validator, value]) => {
    if (validator === undefined) return []
    return (validator.safeParse(value).error?.issues ?? []).map((issue) => [place, issue] as const)
  })
  return Object.fromEntries(
    problems.flatMap(([place, issue]) => flattenIssue(place, issue)).toReversed(),
  )
}

/** Lists an issue, or the issues of the last option of a union. */
function flattenIssue(
  place: string,
  { path, message, errors = [] }: Issue,
): readonly (readonly [string, string])[] {
  const at = [place, ...path.map(String)].join('.')
  const nested = errors.at(-1) ?? []
  return nested.length === 0 ? [[at, message]] : nested.flatMap((issue) => flattenIssue(at, issue))
}

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
