import { bodyShape } from '../../emit/body-shape.js'
import {
  collectDefinitions,
  jsonSchema,
  type JsonSchema,
  type RenameProperty,
} from '../../emit/json-schema.js'
import { resolveRef } from '../../emit/resolve.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import { inputWords } from '../../ir/input-words.js'
import type { ObjectNode, Property } from '../../ir/schema.js'
import { foldObject } from './fold-object.js'

/**
 * The flat input of an operation as one plain object: its parameters, then the fields of its body.
 * It is closed unless the body is open. Constraints between fields of a body are left to validators
 * and the service; its description, which mentions them, is kept.
 */
export function inputSchema(
  api: Api,
  operation: Operation,
  rename: RenameProperty = (name) => name,
): JsonSchema {
  const node = flat(api, operation)
  const schema = jsonSchema(node, rename)
  const definitions = collectDefinitions(api, [node], rename)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    // hosts require the list of fields even if it is empty
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
  const { flatten, nested } = bodyShape(api, body)
  if (flatten === 'body') {
    return {
      ...own,
      properties: [
        ...own.properties,
        { name: inputWords.whole, schema: content.schema, required: body.required },
      ],
    }
  }
  const { properties: all, alsoRequired, additional } = foldObject(api, content.schema)
  const properties = nested.length === 0 ? all : nestFields(all, nested, own)
  const { kind, notes } = resolveRef(api, content.schema)
  return {
    ...own,
    notes: {
      origin,
      ...(kind !== 'object' &&
        notes.description !== undefined && { description: notes.description }),
    },
    properties: [
      ...own.properties,
      ...(body.required
        ? properties
        : properties.map((property) => ({ ...property, required: false }))),
    ],
    alsoRequired: body.required ? alsoRequired : [],
    additional,
  }
}

/** Nests the fields whose names are taken. */
function nestFields(
  all: readonly Property[],
  nested: readonly string[],
  closed: ObjectNode,
): readonly Property[] {
  const inner = all.filter(({ name }) => nested.includes(name))
  const schema: ObjectNode = { ...closed, properties: inner }
  return [
    ...all.filter(({ name }) => !nested.includes(name)),
    { name: inputWords.nested, schema, required: inner.some(({ required }) => required) },
  ]
}

function field({ field: name, schema, required, notes }: Parameter): Property {
  const { description } = notes
  return {
    name,
    required,
    schema:
      description === undefined ? schema : { ...schema, notes: { ...schema.notes, description } },
  }
}
