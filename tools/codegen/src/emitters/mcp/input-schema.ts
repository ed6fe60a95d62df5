import { bodyShape } from '../../emit/body-shape.js'
import { definitionsOf, jsonSchema, type JsonSchema } from '../../emit/json-schema.js'
import { resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import type { ObjectNode, Property, Schema } from '../../ir/schema.js'

/** The flat input of an operation: its parameters by their fields, then what its body adds. */
export function inputSchema(api: Api, operation: Operation): JsonSchema {
  const parameters = operation.parameters.filter(({ credential }) => !credential)
  const { node, whole } = flat(api, operation, parameters)
  const definitions = definitionsOf(api, whole === undefined ? [node] : [node, whole])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...jsonSchema({ ...node, notes: { origin: node.notes.origin } }),
    ...(whole === undefined ? {} : { allOf: [jsonSchema(whole)] }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

/** The fields as one object; a body that is a choice or has rules between its fields goes beside it as a whole. */
function flat(
  api: Api,
  { body, origin }: Operation,
  parameters: readonly Parameter[],
): { readonly node: ObjectNode; readonly whole?: Schema } {
  const own: ObjectNode = {
    kind: 'object',
    notes: { origin },
    properties: parameters.map(field),
    alsoRequired: [],
    patterns: [],
    additional: { kind: parameters.length === 0 && body === undefined ? 'never' : 'any', notes: { origin } },
    dependentRequired: [],
    dependentSchemas: [],
  }
  const content = body?.contents[0]
  if (body === undefined || content === undefined) return { node: own }
  if (bodyShape(api, body).flatten === 'body') {
    return { node: { ...own, properties: [...own.properties, { name: 'body', schema: content.schema, required: body.required }] } }
  }
  const target = resolveRef(api, content.schema)
  const optional = (property: Property): Property => (body.required ? property : { ...property, required: false })
  if (target.kind !== 'object')
    return body.required ? { node: own, whole: parameters.length === 0 ? content.schema : open(target) } : { node: own }
  return {
    node: {
      ...target,
      properties: [...own.properties, ...target.properties.map(optional)],
      alsoRequired: body.required ? target.alsoRequired : [],
    },
  }
}

function field({ field: name, schema, required, notes }: Parameter): Property {
  const { description } = notes
  return { name, required, schema: description === undefined ? schema : { ...schema, notes: { ...schema.notes, description } } }
}

/** A closed body would refuse the parameters that stand beside it. */
function open(schema: Schema): Schema {
  if (schema.kind === 'object')
    return schema.additional.kind === 'never' ? { ...schema, additional: { kind: 'any', notes: schema.notes } } : schema
  if (schema.kind === 'intersection') return { ...schema, parts: schema.parts.map(open) }
  return schema.kind === 'union' || schema.kind === 'oneOf' ? { ...schema, options: schema.options.map(open) } : schema
}
