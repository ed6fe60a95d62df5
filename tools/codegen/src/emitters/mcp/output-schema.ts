import { contentKind } from '../../emit/content-kind.js'
import { collectDefinitions, jsonSchema, type JsonSchema } from '../../emit/json-schema.js'
import { oncePer } from '../../emit/once-per.js'
import { resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Response } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'

/** The schema of a success, if every success is JSON. */
export function outputSchema(api: Api, { responses }: Operation): JsonSchema | undefined {
  const contents = responses.filter(isSuccess).map((response) => response.contents)
  const schemas = contents.flat().map(({ schema }) => schema)
  const [first] = schemas
  if (
    first === undefined ||
    contents.some((all) => all.length === 0) ||
    contents.flat().some((one) => contentKind(one, api) !== 'json')
  )
    return undefined
  const definitions = collectDefinitions(api, schemas)
  const printed = schemas.map((schema) => jsonSchema(schema))
  const value: JsonSchema = printed.length === 1 ? (printed[0] ?? {}) : { anyOf: printed }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(schemas.every(objects(api))
      ? { ...value, type: 'object' }
      : { type: 'object', properties: { result: value }, required: ['result'] }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

function isSuccess({ status }: Response): boolean {
  return status === '2XX' || (typeof status === 'number' && status >= 200 && status < 300)
}

/** Whether a schema accepts only objects. Visits shared options once. */
const objects = oncePer((api: Api) => {
  const isObject = oncePer((schema: Schema): boolean => {
    const target = resolveRef(api, schema)
    if (target !== schema) return isObject(target)
    if (target.kind === 'union' || target.kind === 'oneOf')
      return target.options.length > 0 && target.options.every(isObject)
    if (target.kind === 'intersection') return target.parts.some(isObject)
    return target.kind === 'object' || (target.kind === 'unevaluated' && isObject(target.base))
  })
  return isObject
})
