import { operations as records, type Operation } from '@farebox/types/operations'
import type { Schema } from '../contract/schema.js'

/** A schema of the document, possibly with a `$ref`. */
export type RefSchema = Omit<Schema, 'properties' | 'items' | 'anyOf' | 'oneOf'> & {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, RefSchema>>
  readonly items?: RefSchema
  readonly anyOf?: readonly RefSchema[]
  readonly oneOf?: readonly RefSchema[]
  readonly 'x-provisional'?: string | boolean
}

export type Example = { readonly name: string; readonly title: string; readonly value: unknown }
export type Content = {
  readonly mediaType: string
  readonly schema: RefSchema | undefined
  readonly examples: readonly Example[]
}
export type Answer = {
  readonly status: string
  readonly description: string
  readonly headers: readonly { readonly name: string; readonly description: string }[]
  readonly contents: readonly Content[]
}
/** An operation as its page shows it. */
export type Shown = {
  readonly record: Operation
  readonly slug: string
  readonly summary: string
  readonly description: string
  /** The value of `x-provisional`. */
  readonly provisional: string | boolean
  /** The parameters as an object schema. */
  readonly parameters: RefSchema
  readonly body: readonly Content[]
  readonly answers: readonly Answer[]
}
/** The contract as the reference shows it. */
export type Contract = {
  readonly version: string
  readonly description: string
  readonly operations: readonly Shown[]
  readonly resolve: Resolve
}
/** The target of a `$ref`, with the members beside the `$ref`. */
export type Resolve = <Node extends object>(node: Node) => Node

type Json = Readonly<Record<string, unknown>>
type Parameter = RefSchema & {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: RefSchema
}

/** Reads the contract from the bundled document. */
export function readContract(document: Json): Contract {
  const resolve = createResolver(document)
  const { version, description } = document['info'] as {
    readonly version: string
    readonly description: string
  }
  const paths = document['paths'] as Readonly<Record<string, Json>>
  const operations = Object.values(records).map((record: Operation): Shown => {
    const item = paths[record.path] ?? {}
    const raw = item[record.method.toLowerCase()] as Json
    const body = resolve(
      (raw['requestBody'] ?? {}) as { readonly content?: Readonly<Record<string, Json>> },
    )
    return {
      record,
      slug: record.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      summary: raw['summary'] as string,
      description: (raw['description'] ?? '') as string,
      provisional: (raw['x-provisional'] ?? false) as string | boolean,
      parameters: toParameters(
        [item['parameters'], raw['parameters']]
          .flatMap((list) => (list ?? []) as readonly Parameter[])
          .map(resolve),
      ),
      body: toContents(resolve, body.content),
      answers: Object.entries(raw['responses'] as Readonly<Record<string, Json>>).map(
        ([status, answer]) => toAnswer(resolve, status, answer),
      ),
    }
  })
  return { version, description, operations, resolve }
}

function createResolver(document: Json): Resolve {
  return function resolve<Node extends object>(node: Node): Node {
    const { $ref, ...beside } = node as Node & { readonly $ref?: unknown }
    if (typeof $ref !== 'string') return node
    const names = $ref.slice(2).split('/')
    const target = names.reduce<unknown>(
      (found, name) =>
        (found as Json | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
    if (typeof target !== 'object' || target === null) throw new Error(`${$ref} has no target.`)
    return { ...resolve(target), ...beside } as unknown as Node
  }
}

function toParameters(parameters: readonly Parameter[]): RefSchema {
  return {
    properties: Object.fromEntries(
      parameters.map(
        ({ name, in: place, schema, description = '', 'x-provisional': provisional = false }) => [
          name,
          {
            ...schema,
            description: `**In the ${place}.** ${description}`,
            'x-provisional': provisional,
          },
        ],
      ),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
}

function toAnswer(resolve: Resolve, status: string, value: Json): Answer {
  const {
    description = '',
    headers = {},
    content,
  } = resolve(value) as {
    readonly description?: string
    readonly headers?: Readonly<Record<string, { readonly description?: string }>>
    readonly content?: Readonly<Record<string, Json>>
  }
  return {
    status,
    description,
    headers: Object.entries(headers).map(([name, header]) => ({
      name,
      description: resolve(header).description ?? '',
    })),
    contents: toContents(resolve, content),
  }
}

function toContents(
  resolve: Resolve,
  content: Readonly<Record<string, Json>> = {},
): readonly Content[] {
  return Object.entries(content).map(([mediaType, { schema, examples }]) => ({
    mediaType,
    schema: schema as RefSchema | undefined,
    examples: Object.entries((examples ?? {}) as Readonly<Record<string, Json>>).map(
      ([name, example]) => {
        const { summary, value } = resolve(example) as {
          readonly summary?: string
          readonly value?: unknown
        }
        return { name, title: summary ?? name.replaceAll('-', ' '), value }
      },
    ),
  }))
}
