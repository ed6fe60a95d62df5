import { isSchema, referencedName, type SchemaData } from '../../src/emitters/mcp/bound-schema.js'
import type { Toolbox } from './toolbox.js'

/** The input of an operation: the input of its tool, with the names of the document. */
export function restoreFields(
  { tools, fields, schemas }: Toolbox,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (Object.keys(fields).length === 0) return input
  const schema = tools.find((tool) => tool.name === name)?.inputSchema
  const whole = schemas.inputs[name] ?? schema
  const definitions = { ...(isSchema(schema?.['$defs']) && schema['$defs']), ...schemas.$defs }
  return restoreObject(input, [whole], fields, definitions)
}

function restoreValue(
  value: unknown,
  schemas: readonly unknown[],
  fields: Toolbox['fields'],
  definitions: SchemaData,
): unknown {
  if (Array.isArray(value)) {
    const parts = listApplicable(schemas, definitions)
    return value.map((item: unknown, index) => {
      const inner = parts.flatMap(({ prefixItems, items, contains }) => [
        Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items,
        contains,
      ])
      return restoreValue(item, inner, fields, definitions)
    })
  }
  return isSchema(value) && isPlain(value)
    ? restoreObject(value, schemas, fields, definitions)
    : value
}

/** The input of a tool with blobs for the files that it gets as base64. */
export function decodeFiles(
  { files }: Toolbox,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const own = Object.hasOwn(files, name) ? (files[name] ?? []) : []
  if (own.length === 0) return input
  return Object.fromEntries(
    Object.entries(input).map(([field, value]) => [
      field,
      own.includes(field) ? decodeFile(field, value) : value,
    ]),
  )
}

function decodeFile(field: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => decodeFile(field, item))
  if (typeof value !== 'string') return value
  try {
    const bytes = atob(value.replaceAll('-', '+').replaceAll('_', '/'))
    return new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))])
  } catch {
    throw new TypeError(`${field} is not base64; expected the bytes of a file in base64.`)
  }
}

/** Not a file, whose fields are its own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function restoreObject(
  value: Readonly<Record<string, unknown>>,
  schemas: readonly unknown[],
  fields: Toolbox['fields'],
  definitions: SchemaData,
): Readonly<Record<string, unknown>> {
  const parts = listApplicable(schemas, definitions)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const stated = parts.flatMap(({ properties }) =>
        isSchema(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [],
      )
      const name = stated.length > 0 && Object.hasOwn(fields, key) ? (fields[key] ?? key) : key
      const others = parts.flatMap(({ patternProperties, additionalProperties }) => [
        ...(isSchema(patternProperties) ? Object.values(patternProperties) : []),
        additionalProperties,
      ])
      return [name, restoreValue(item, stated.length > 0 ? stated : others, fields, definitions)]
    }),
  )
}

/** The schemas, and those that they refer to or are composed of. */
function listApplicable(
  schemas: readonly unknown[],
  definitions: SchemaData,
): readonly SchemaData[] {
  const found = new Set<SchemaData>()
  const add = (schema: unknown): void => {
    if (!isSchema(schema) || found.has(schema)) return
    found.add(schema)
    const name = referencedName(schema)
    if (name !== undefined) add(definitions[name])
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      if (Array.isArray(schema[keyword])) for (const part of schema[keyword]) add(part)
    for (const keyword of ['then', 'else']) add(schema[keyword])
    if (isSchema(schema['dependentSchemas']))
      for (const part of Object.values(schema['dependentSchemas'])) add(part)
  }
  for (const schema of schemas) add(schema)
  return [...found]
}
