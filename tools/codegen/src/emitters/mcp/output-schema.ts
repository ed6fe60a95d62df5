import { contentKind } from '../../emit/content-kind.js'
import { collectDefinitions, jsonSchema, type JsonSchema } from '../../emit/json-schema.js'
import { oncePer } from '../../emit/once-per.js'
import { resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Response } from '../../ir/api.js'
import type { Schema } from '../../ir/schema.js'

/** The schema of a success, if every success is JSON. */
export function outputSchema(api: Api, operation: Operation): JsonSchema | undefined {
  const schemas = successSchemas(api, operation)
  if (schemas.length === 0) return undefined
  const definitions = collectDefinitions(api, schemas)
  const printed = schemas.map((schema) => jsonSchema(schema))
  const value: JsonSchema = printed.length === 1 ? (printed[0] ?? {}) : { anyOf: printed }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(wrapsOutput(api, operation)
      ? { type: 'object', properties: { result: value }, required: ['result'] }
      : { ...value, type: 'object' }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

/** Whether the output stands under `result`, as the protocol requires an object. */
export function wrapsOutput(api: Api, operation: Operation): boolean {
  return !successSchemas(api, operation).every(objects(api))
}

/** The schemas of all successes; empty if one of them is not JSON. */
function successSchemas(api: Api, { responses }: Operation): readonly Schema[] {
  const contents = responses.filter(isSuccess).map((response) => response.contents)
  return contents.some((all) => all.length === 0) ||
    contents.flat().some((one) => contentKind(one, api) !== 'json')
    ? []
    : contents.flat().map(({ schema }) => schema)
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
