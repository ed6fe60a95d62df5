import { bodyShape } from '../../emit/body-shape.js'
import { definitionsOf, jsonSchema, type JsonSchema } from '../../emit/json-schema.js'
import { resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import type { ObjectNode, Property } from '../../ir/schema.js'
import { foldObject } from './fold-object.js'

/**
 * The flat input of an operation as one plain object: its parameters by their fields, then what its
 * body adds. It is closed unless the contract leaves the body open. Validators and the service
 * check the rules between the fields of a body; its description, which tells of them, is kept.
 */
export function inputSchema(api: Api, operation: Operation): JsonSchema {
  const node = flat(api, operation)
  const schema = jsonSchema(node)
  const definitions = definitionsOf(api, [node])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    // hosts want the list of fields also where there is none
    ...(schema['properties'] === undefined && { properties: {} }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

function flat(api: Api, { body, origin, parameters }: Operation): ObjectNode {
  const own: ObjectNode = {
    kind: 'object',
    notes: { origin },
    properties: parameters.filter(({ credential }) => !credential).map(field),
    alsoRequired: [],
    patterns: [],
    additional: { kind: 'never', notes: { origin } },
    dependentRequired: [],
    dependentSchemas: [],
  }
  const content = body?.contents[0]
  if (body === undefined || content === undefined) return own
  if (bodyShape(api, body).flatten === 'body') {
    return { ...own, properties: [...own.properties, { name: 'body', schema: content.schema, required: body.required }] }
  }
  const { properties, alsoRequired, additional } = foldObject(api, content.schema)
  const { kind, notes } = resolveRef(api, content.schema)
  return {
    ...own,
    notes: { origin, ...(kind !== 'object' && notes.description !== undefined && { description: notes.description }) },
    properties: [...own.properties, ...(body.required ? properties : properties.map((property) => ({ ...property, required: false })))],
    alsoRequired: body.required ? alsoRequired : [],
    additional,
  }
}

function field({ field: name, schema, required, notes }: Parameter): Property {
  const { description } = notes
  return { name, required, schema: description === undefined ? schema : { ...schema, notes: { ...schema.notes, description } } }
}
