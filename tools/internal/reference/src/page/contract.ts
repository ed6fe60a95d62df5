import { operations as records, type Operation } from '@farebox/types/operations'
import {
  createReader,
  findOperation,
  listExamples,
  listParameters,
  toObject,
  toText,
  type Example,
  type Json,
  type DocumentReader,
} from '../contract/read.js'
import type { Schema } from '../contract/schema.js'

/** A schema of the document, possibly with a `$ref`. */
export type RefSchema = Omit<Schema, 'properties' | 'items' | 'anyOf' | 'oneOf' | 'allOf'> & {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, RefSchema>>
  readonly items?: RefSchema
  readonly prefixItems?: readonly RefSchema[]
  readonly anyOf?: readonly RefSchema[]
  readonly oneOf?: readonly RefSchema[]
  readonly allOf?: readonly RefSchema[]
  readonly additionalProperties?: RefSchema | boolean
  readonly unevaluatedProperties?: RefSchema | boolean
  readonly patternProperties?: Readonly<Record<string, RefSchema>>
  readonly propertyNames?: RefSchema
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>
  readonly contains?: RefSchema
  readonly minContains?: number
  readonly maxContains?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly not?: RefSchema
  /** Of OpenAPI 3.0. */
  readonly nullable?: boolean
  readonly deprecated?: boolean
  readonly contentEncoding?: string
  readonly 'x-provisional'?: string | boolean
}

export type Content = {
  readonly mediaType: string
  readonly schema: RefSchema | undefined
  readonly examples: readonly Example[]
}
export type ResponseInfo = {
  readonly status: string
  readonly description: string
  readonly headers: readonly { readonly name: string; readonly description: string }[]
  readonly contents: readonly Content[]
}
/** The facts of an operation that are not read from the document. */
type Callable = Pick<Operation, 'id' | 'method' | 'path' | 'tags' | 'security' | 'idempotent'> & {
  readonly priceUsd?: number
}
/** An operation as its page shows it. */
export type OperationPage<Record extends Callable = Callable> = {
  readonly record: Record
  readonly slug: string
  readonly summary: string
  readonly description: string
  /** The value of `x-provisional`. */
  readonly provisional: string | boolean
  readonly deprecated: boolean
  /** The parameters as an object schema. */
  readonly parameters: RefSchema
  readonly body: readonly Content[]
  readonly responses: readonly ResponseInfo[]
}
/** The contract as the reference shows it. */
export type Contract = {
  readonly version: string
  readonly description: string
  readonly operations: readonly OperationPage<Operation>[]
  readonly resolve: Resolve
}
/** The target of a `$ref`, with the members beside the `$ref`. */
export type Resolve = <Node extends object>(node: Node) => Node

/** Reads the contract from the bundled document. */
export function readContract(document: Json): Contract {
  const read = createReader(document)
  const { version, description } = document['info'] as {
    readonly version: string
    readonly description: string
  }
  const all: readonly Operation[] = Object.values(records)
  return {
    version,
    description,
    operations: all.map((record) => readOperation(document, read, record)),
    resolve: read as Resolve,
  }
}

/** Reads what the page of an operation shows. */
export function readOperation<Record extends Callable>(
  document: Json,
  read: DocumentReader,
  record: Record,
): OperationPage<Record> {
  const { item, operation } = findOperation(document, read, record)
  return {
    record,
    slug: record.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    summary: toText(operation['summary']) ?? record.id,
    description: toText(operation['description']) ?? '',
    provisional: (operation['x-provisional'] ?? false) as string | boolean,
    deprecated: operation['deprecated'] === true,
    parameters: toParameters(read, listParameters(read, item, operation)),
    body: toContents(read, read(operation['requestBody'])['content']),
    responses: Object.entries(toObject(operation['responses'])).map(([status, response]) =>
      toResponse(read, status, response),
    ),
  }
}

function toParameters(read: DocumentReader, parameters: readonly Json[]): RefSchema {
  const names = parameters.map(({ name, in: place }) => ({
    name: String(name),
    place: String(place),
  }))
  const isUnique = (name: string) => names.filter((other) => other.name === name).length === 1
  // a path and a query may both have an `id`
  const keys = names.map(({ name, place }) => (isUnique(name) ? name : `${name} (${place})`))
  return {
    properties: Object.fromEntries(
      parameters.map((parameter, index) => {
        const { in: place, schema, content, description, 'x-provisional': provisional } = parameter
        const [media] = Object.values(toObject(content))
        return [
          keys[index],
          {
            ...toObject(schema ?? toObject(media)['schema']),
            description: `**In the ${String(place)}.** ${toText(description) ?? ''}`,
            'x-provisional': (provisional ?? false) as string | boolean,
            deprecated: parameter['deprecated'] === true,
          },
        ]
      }),
    ) as Readonly<Record<string, RefSchema>>,
    required: keys.filter((_, index) => parameters[index]?.['required'] === true),
  }
}

function toResponse(read: DocumentReader, status: string, value: unknown): ResponseInfo {
  const { description, headers, content } = read(value)
  return {
    status,
    description: toText(description) ?? '',
    headers: Object.entries(toObject(headers)).map(([name, header]) => ({
      name,
      description: toText(read(header)['description']) ?? '',
    })),
    contents: toContents(read, content),
  }
}

function toContents(read: DocumentReader, content: unknown): readonly Content[] {
  return Object.entries(toObject(content)).map(([mediaType, value]) => {
    const media = read(value)
    const schema = media['schema'] ?? media['itemSchema']
    return {
      mediaType,
      schema: schema === undefined ? undefined : toObject(schema),
      examples: listExamples(read, media),
    }
  })
}
