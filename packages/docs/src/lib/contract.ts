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

export type Operation = {
  readonly id: string
  readonly slug: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly security: readonly (readonly string[])[]
  readonly parameters: readonly Parameter[]
  readonly body: readonly Content[]
  readonly answers: readonly Answer[]
  readonly extensions: Readonly<Record<string, unknown>>
}

type Json = Readonly<Record<string, unknown>>
const root = contract as unknown as Json

export const info = root['info'] as { readonly title: string; readonly version: string; readonly description: string }
export const rateLimits = root['x-rate-limits'] as {
  readonly windowSeconds: number
  readonly classes: Readonly<
    Record<string, { readonly default?: { readonly requests?: number }; readonly partner?: { readonly requests?: number } }>
  >
}

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

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const

export const operations: readonly Operation[] = Object.entries(root['paths'] as Record<string, Json>).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const raw = item[method] as Json | undefined
    if (raw === undefined) return []
    const shared = (item['parameters'] ?? []) as readonly Parameter[]
    const id = raw['operationId'] as string
    const body = resolve((raw['requestBody'] ?? {}) as { readonly content?: Record<string, Json> })
    return [
      {
        id,
        slug: slugOf(id),
        method: method.toUpperCase(),
        path,
        tag: (raw['tags'] as readonly string[])[0] ?? '',
        summary: raw['summary'] as string,
        description: (raw['description'] ?? '') as string,
        security: ((raw['security'] ?? root['security']) as readonly Json[]).map((set) => Object.keys(set)),
        parameters: [...shared, ...((raw['parameters'] ?? []) as readonly Parameter[])].map(resolve),
        body: contentsOf(body.content),
        answers: Object.entries(raw['responses'] as Record<string, Json>).map(([status, answer]) => answerOf(status, answer)),
        extensions: Object.fromEntries(Object.entries(raw).filter(([key]) => key.startsWith('x-'))),
      },
    ]
  }),
)

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
