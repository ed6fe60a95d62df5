import { operations as records, type Operation as OperationRecord } from '@farebox/types/operations'
import contract from '../../.prepared/contract.json'

/** JSON Schema 2020-12, as far as the pages show it. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly additionalProperties?: boolean | Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly 'x-provisional'?: string | boolean
}

export type Example = { readonly name: string; readonly summary: string | undefined; readonly value: unknown }
export type Content = { readonly mediaType: string; readonly schema: Schema | undefined; readonly examples: readonly Example[] }

export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly 'x-provisional'?: string | boolean
}

export type Answer = {
  readonly status: string
  readonly description: string
  readonly provisional: string | boolean | undefined
  readonly headers: readonly { readonly name: string; readonly description: string }[]
  readonly contents: readonly Content[]
}

/** An operation: its record, and what its page shows of the document. */
export type Operation = Omit<OperationRecord, 'parameters' | 'body' | 'responses' | 'provisional'> & {
  readonly slug: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** `false`, or where the operation is from. */
  readonly provisional: string | boolean
  readonly parameters: readonly Parameter[]
  readonly body: readonly Content[]
  readonly answers: readonly Answer[]
}

type Json = Readonly<Record<string, unknown>>
const root = contract as unknown as Json

export const info = root['info'] as { readonly title: string; readonly version: string; readonly description: string }

/** What a `$ref` within the bundled document names; anything else is given back. */
export function resolve<T extends object>(value: T): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value
  const { $ref, ...siblings } = value as { readonly $ref: string }
  const target = $ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, part) => (node as Json | undefined)?.[part], root)
  if (typeof target !== 'object' || target === null) throw new Error(`${$ref} leads nowhere.`)
  return { ...resolve(target), ...siblings } as T
}

/** The last part of a `$ref`, when it names a schema. */
export function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1)
}

export function slugOf(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

export const operations: readonly Operation[] = Object.values(records).map((record: OperationRecord) => {
  const item = (root['paths'] as Readonly<Record<string, Json>>)[record.path] ?? {}
  const raw = item[record.method.toLowerCase()] as Json
  const parameters = [...((item['parameters'] ?? []) as readonly Parameter[]), ...((raw['parameters'] ?? []) as readonly Parameter[])]
  const body = resolve((raw['requestBody'] ?? {}) as { readonly content?: Record<string, Json> })
  return {
    ...record,
    slug: slugOf(record.id),
    tag: record.tags[0] ?? '',
    summary: raw['summary'] as string,
    description: (raw['description'] ?? '') as string,
    provisional: raw['x-provisional'] as string | boolean,
    parameters: parameters.map(resolve),
    body: contentsOf(body.content),
    answers: Object.entries(raw['responses'] as Record<string, Json>).map(([status, answer]) => answerOf(status, answer)),
  }
})

function answerOf(status: string, value: Json): Answer {
  const answer = resolve(value)
  const headers = Object.entries((answer['headers'] ?? {}) as Record<string, { description?: string }>)
  return {
    status,
    description: (answer['description'] ?? '') as string,
    provisional: answer['x-provisional'] as string | undefined,
    headers: headers.map(([name, header]) => ({ name, description: resolve(header).description ?? '' })),
    contents: contentsOf(answer['content'] as Record<string, Json> | undefined),
  }
}

function contentsOf(content: Readonly<Record<string, Json>> = {}): readonly Content[] {
  return Object.entries(content).map(([mediaType, { schema, examples }]) => ({
    mediaType,
    schema: schema as Schema | undefined,
    examples: Object.entries((examples ?? {}) as Record<string, Json>).map(([name, example]) => {
      const { summary, value } = resolve(example) as { summary?: string; value?: unknown }
      return { name, summary, value }
    }),
  }))
}
