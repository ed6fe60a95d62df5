import { findBodyShape } from '../../emit/content.js'
import {
  collectDefinitions,
  toJsonSchema,
  type JsonSchema,
  type RenameProperty,
} from '../../emit/json-schema.js'
import { oncePer, resolveRef } from '../../emit/schemas.js'
import type { Api, Operation, Parameter } from '../../ir/api.js'
import { inputWords } from '../../ir/names.js'
import type { ObjectNode, Property, Schema } from '../../ir/schema.js'

/**
 * The flat input of an operation as one plain object: its parameters, then the fields of its body.
 * It is closed unless the body is open. Constraints between fields of a body are left to validators
 * and the service; its description, which mentions them, is kept.
 */
export function toInputSchema(
  api: Api,
  operation: Operation,
  rename: RenameProperty = (name) => name,
): JsonSchema {
  const node = createInputReader(api)(operation)
  const schema = toJsonSchema(node, rename)
  const definitions = collectDefinitions(api, [node], rename)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...schema,
    // hosts require the list of fields even if it is empty
    ...(schema['properties'] === undefined && { properties: {} }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

/** The fields of the input that are files, lists of files, or either. */
export function listFileFields(api: Api, operation: Operation): readonly string[] {
  const isFile = (schema: Schema): boolean => resolveRef(api, schema).kind === 'binary'
  const isFileOrList = (schema: Schema): boolean => {
    const node = resolveRef(api, schema)
    return (
      node.kind === 'binary' ||
      node.kind === 'null' ||
      (node.kind === 'array' && isFile(node.items))
    )
  }
  const { properties } = createInputReader(api)(operation)
  return properties.flatMap(({ name, schema }) => {
    const node = resolveRef(api, schema)
    const isChoice = node.kind === 'union' || node.kind === 'oneOf'
    return (isChoice ? node.options : [node]).every(isFileOrList) ? [name] : []
  })
}

/** Reads the flat input of each operation of an API once. */
const createInputReader = oncePer(
  (api: Api) => oncePer((operation: Operation) => flattenInput(api, operation)),
  new WeakMap(),
)

function flattenInput(api: Api, { body, origin, parameters }: Operation): ObjectNode {
  const own: ObjectNode = {
    kind: 'object',
    notes: { origin },
    properties: parameters.filter(({ credential }) => !credential).map(toProperty),
    alsoRequired: [],
    patterns: [],
    additional: { kind: 'never', notes: { origin } },
    dependentRequired: [],
    dependentSchemas: [],
  }
  const content = body?.contents[0]
  if (body === undefined || content === undefined) return own
  const { flatten, nested } = findBodyShape(api, body)
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

function toProperty({ field: name, schema, required, notes }: Parameter): Property {
  const { description } = notes
  return {
    name,
    required,
    schema:
      description === undefined ? schema : { ...schema, notes: { ...schema.notes, description } },
  }
}

/**
 * Folds a schema that is composed of objects into one plain object: every property of every form,
 * required if all forms require it, and closed if all forms are. Hosts of the Model Context
 * Protocol reject a tool whose input has `allOf`, `anyOf` or `oneOf` at its root.
 *
 * The result accepts every value that the schema accepts, with one exception: a property that one
 * form describes and another leaves open has the description of the first. Constraints between
 * properties are left out.
 */
export function foldObject(api: Api, schema: Schema): ObjectNode {
  const { fields, isClosed } = fold(api, schema, new Map())
  const { origin } = schema.notes
  return {
    kind: 'object',
    notes: { origin },
    properties: [...fields].flatMap(([name, { says, required }]): Property[] =>
      says === undefined ? [] : [{ name, schema: says, required }],
    ),
    alsoRequired: [...fields].flatMap(([name, { says, required }]) =>
      says === undefined && required ? [name] : [],
    ),
    patterns: [],
    additional: { kind: isClosed ? 'never' : 'any', notes: { origin } },
    dependentRequired: [],
    dependentSchemas: [],
  }
}

type Field = {
  /** The schema of its value; undefined if it is only required. */
  readonly says?: Schema
  /** Whether that applies to every form, or only to some. */
  readonly always: boolean
  readonly required: boolean
}

/** An object as it is known so far. */
type FoldedObject = { readonly fields: ReadonlyMap<string, Field>; readonly isClosed: boolean }

/** Folds each schema once, however many forms share it. A recursive one is open. */
function fold(api: Api, schema: Schema, known: Map<Schema, FoldedObject>): FoldedObject {
  const node = resolveRef(api, schema)
  const found = known.get(node)
  if (found !== undefined) return found
  known.set(node, open)
  const folded = foldNode(node, (inner) => fold(api, inner, known))
  known.set(node, folded)
  return folded
}

function foldNode(node: Schema, again: (inner: Schema) => FoldedObject): FoldedObject {
  if (node.kind === 'object') return foldProperties(node)
  if (node.kind === 'intersection') return foldParts(node.parts.map(again))
  if (node.kind === 'union' || node.kind === 'oneOf') return foldForms(node.options.map(again))
  if (node.kind === 'conditional') return foldForms([again(node.then), again(node.otherwise)])
  if (node.kind !== 'unevaluated') return open
  const base = again(node.base)
  return { ...base, isClosed: base.isClosed || node.properties?.kind === 'never' }
}

const open: FoldedObject = { fields: new Map(), isClosed: false }

function foldProperties({ properties, alsoRequired, additional }: ObjectNode): FoldedObject {
  const described = properties.map(({ name, schema, required }): readonly [string, Field] => [
    name,
    { says: schema, always: true, required },
  ])
  const demanded = alsoRequired.map((name): readonly [string, Field] => [
    name,
    { always: true, required: true },
  ])
  return { fields: new Map([...described, ...demanded]), isClosed: additional.kind === 'never' }
}

/** All parts apply. Facts of every form take precedence over others. */
function foldParts(parts: readonly FoldedObject[]): FoldedObject {
  const names = listNames(parts)
  const fields = names.map((name): readonly [string, Field] => {
    const found = parts.flatMap(({ fields }) => fields.get(name) ?? [])
    const binding = found.filter(({ says, always }) => always && says !== undefined)
    const described = (binding.length > 0 ? binding : found).flatMap(({ says }) => says ?? [])
    const says = mergeSchemas(described, binding.length > 0 ? 'all' : 'any')
    return [
      name,
      {
        ...(says && { says }),
        always: binding.length > 0,
        required: found.some(({ required }) => required),
      },
    ]
  })
  return { fields: new Map(fields), isClosed: parts.some(({ isClosed }) => isClosed) }
}

/**
 * One of the forms applies. A closed form without a property excludes it, so the others describe it
 * completely.
 */
function foldForms(forms: readonly FoldedObject[]): FoldedObject {
  const fields = listNames(forms).map((name): readonly [string, Field] => {
    const found = forms.flatMap(({ fields }) => fields.get(name) ?? [])
    const says = mergeSchemas(
      found.flatMap(({ says }) => says ?? []),
      'any',
    )
    const isOpenElsewhere = forms.some(({ fields, isClosed }) => !fields.has(name) && !isClosed)
    const always =
      !isOpenElsewhere && found.every((field) => field.always && field.says !== undefined)
    return [
      name,
      {
        ...(says && { says }),
        always,
        required: forms.every(({ fields }) => fields.get(name)?.required === true),
      },
    ]
  })
  return {
    fields: new Map(fields),
    isClosed: forms.length > 0 && forms.every(({ isClosed }) => isClosed),
  }
}

function listNames(all: readonly FoldedObject[]): readonly string[] {
  return [...new Set(all.flatMap(({ fields }) => [...fields.keys()]))]
}

/**
 * Merges distinct schemas into one. Enums are merged into one list of values. With `any`, a schema
 * without values is ignored.
 */
function mergeSchemas(parts: readonly Schema[], how: 'all' | 'any'): Schema | undefined {
  const possible = parts.filter(({ kind }) => kind !== 'never')
  const schemas = how === 'any' && possible.length > 0 ? possible : parts
  const different = [
    ...new Map(schemas.map((schema) => [JSON.stringify(toJsonSchema(schema)), schema])).values(),
  ]
  const [first] = different
  if (first === undefined || different.length === 1) return first
  const { origin } = first.notes
  if (how === 'all') return { kind: 'intersection', parts: different, notes: { origin } }
  const values = different.flatMap((schema) => (schema.kind === 'enum' ? schema.values : []))
  return different.every(({ kind }) => kind === 'enum')
    ? {
        kind: 'enum',
        values: [...new Map(values.map((value) => [JSON.stringify(value), value])).values()],
        notes: first.notes,
      }
    : { kind: 'union', options: different, notes: { origin } }
}
