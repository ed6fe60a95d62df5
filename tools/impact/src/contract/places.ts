import type { Api, Operation, Schema } from '@farebox/codegen'

/** What the generated code has a type for. */
export type Owner =
  | { readonly kind: 'schema'; readonly name: string }
  /** The flat input of an operation. */
  | { readonly kind: 'input'; readonly operation: string }
  | { readonly kind: 'body'; readonly operation: string }
  /** The parameters by their names on the wire. */
  | { readonly kind: 'parameters'; readonly operation: string; readonly in: string }
  | { readonly kind: 'response'; readonly operation: string; readonly status: string }

/** A property by its name. Null: each item of an array, or each value of a map. */
export type Step = string | null

/** A part of a type: what the document says at one place. */
export type ContractPlace = { readonly owner: Owner; readonly path: readonly Step[] }

type Origin = Api['schemas'][number]['origin']

export type ContractPlaces = {
  /** The parts of types that represent a place of the document. */
  readonly at: (origin: Origin) => readonly ContractPlace[]
  /** The parts of types that refer to a named schema, also through other names. */
  readonly listUses: (name: string) => readonly ContractPlace[]
  /** Whether a property at a place of the document is required. */
  readonly isRequired: (origin: Origin) => boolean
  /** The properties and parameters with `x-renamed-from`. */
  readonly renamed: readonly RenamedPlace[]
  /** The renamed values of the enum at a place of the document: the older one by the newer. */
  readonly renamedValues: (origin: Origin) => Readonly<Record<string, unknown>>
}

/** A part of a type under its present name, and the name in the document that it had. */
export type RenamedPlace = { readonly place: ContractPlace; readonly from: string }

/** The names of operations and schemas in the generated code. */
export type Names = {
  readonly operation: (id: string) => string
  readonly schema: (name: string) => string
}

const sameNames: Names = { operation: (id) => id, schema: (name) => name }

/** Finds parts of types by their place in the document. */
export function collectPlaces(given: Api, names = sameNames): ContractPlaces {
  const api = {
    ...given,
    operations: given.operations.map((operation) => ({
      ...operation,
      id: names.operation(operation.id),
    })),
    schemas: given.schemas.map((schema) => ({ ...schema, name: names.schema(schema.name) })),
  }
  const byOrigin = new Map<string, ContractPlace[]>()
  const uses = new Map<string, ContractPlace[]>()
  const renamed: RenamedPlace[] = []
  const required = new Set<string>()
  const values = new Map<string, Readonly<Record<string, unknown>>>()
  for (const [schema, place] of walkSchemas(api)) {
    const { origin, renamedFrom, renamedValues } = schema.notes
    if (renamedValues !== undefined) values.set(toOriginKey(origin), renamedValues)
    put(byOrigin, toOriginKey(origin), place)
    if (schema.kind === 'object')
      for (const property of schema.properties)
        if (property.required) required.add(toOriginKey(property.schema.notes.origin))
    if (schema.kind === 'ref') put(uses, names.schema(schema.name), place)
    if (renamedFrom !== undefined && typeof place.path.at(-1) === 'string')
      renamed.push({ place, from: renamedFrom })
  }
  for (const operation of api.operations)
    for (const { notes, ...parameter } of operation.parameters)
      for (const place of listParameterPlaces(operation, parameter)) {
        put(byOrigin, toOriginKey(notes.origin), place)
        if (notes.renamedFrom !== undefined) renamed.push({ place, from: notes.renamedFrom })
      }
  return {
    at: (origin) => byOrigin.get(toOriginKey(origin)) ?? [],
    listUses: (name) => collectUses(name, uses),
    isRequired: (origin) => required.has(toOriginKey(origin)),
    renamed,
    renamedValues: (origin) => values.get(toOriginKey(origin)) ?? {},
  }
}

function toOriginKey({ file, pointer }: Origin): string {
  return `${file}#${pointer}`
}

function put<V>(map: Map<string, V[]>, key: string, value: V): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

/** A schema that is another name of a schema is used wherever its own name is. */
function collectUses(
  name: string,
  uses: ReadonlyMap<string, readonly ContractPlace[]>,
): readonly ContractPlace[] {
  const names = new Set([name])
  const places: ContractPlace[] = []
  for (const one of names)
    for (const place of uses.get(one) ?? []) {
      places.push(place)
      if (place.path.length === 0 && place.owner.kind === 'schema') names.add(place.owner.name)
    }
  return places
}

function* walkSchemas({ schemas, operations }: Api): Generator<readonly [Schema, ContractPlace]> {
  for (const { name, schema } of schemas)
    yield* walkSchema(schema, { owner: { kind: 'schema', name }, path: [] })
  for (const operation of operations) {
    for (const parameter of operation.parameters)
      for (const place of listParameterPlaces(operation, parameter))
        yield* walkSchema(parameter.schema, place)
    const { id, body } = operation
    for (const { schema, flatten } of body?.contents ?? []) {
      yield* walkSchema(schema, { owner: { kind: 'body', operation: id }, path: [] })
      yield* walkSchema(schema, {
        owner: { kind: 'input', operation: id },
        path: flatten === 'fields' ? [] : ['body'],
      })
    }
    for (const { status, contents } of operation.responses)
      for (const { schema } of contents)
        yield* walkSchema(schema, {
          owner: { kind: 'response', operation: id, status: String(status) },
          path: [],
        })
  }
}

type NamedParameter = Pick<Operation['parameters'][number], 'name' | 'field' | 'in'>

function listParameterPlaces(
  { id }: Operation,
  { name, field, in: group }: NamedParameter,
): readonly ContractPlace[] {
  return [
    { owner: { kind: 'input', operation: id }, path: [field] },
    { owner: { kind: 'parameters', operation: id, in: group }, path: [name] },
  ]
}

/** The schema and the schemas in it, up to references. */
function* walkSchema(
  schema: Schema,
  place: ContractPlace,
): Generator<readonly [Schema, ContractPlace]> {
  yield [schema, place]
  const { owner, path } = place
  for (const [inner, ...steps] of listParts(schema))
    yield* walkSchema(inner, { owner, path: [...path, ...steps] })
}

/** The schemas directly in a schema, with the step to each. A choice takes none. */
function listParts(schema: Schema): readonly (readonly [Schema, ...Step[]])[] {
  if (schema.kind === 'object')
    return [
      ...schema.properties.map((one) => [one.schema, one.name] as const),
      [schema.additional, null],
    ]
  if (schema.kind === 'array') return [...schema.prefix, schema.items].map((one) => [one, null])
  if (schema.kind === 'union' || schema.kind === 'oneOf') return schema.options.map((one) => [one])
  return schema.kind === 'intersection' ? schema.parts.map((one) => [one]) : []
}
