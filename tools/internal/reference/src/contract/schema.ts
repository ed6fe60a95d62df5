/** JSON Schema as the forms read it: what a `$ref` names stands in its place. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

/** What a schema asks of a form: exactly one of these for any schema. */
export type Shape =
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | { readonly kind: 'text'; readonly long: boolean }
  | { readonly kind: 'number'; readonly integer: boolean }
  | { readonly kind: 'flag' }
  | { readonly kind: 'file' }
  | { readonly kind: 'list'; readonly items: Schema }
  | {
      readonly kind: 'object'
      readonly properties: Readonly<Record<string, Schema>>
      readonly required: ReadonlySet<string>
    }
  | { readonly kind: 'union'; readonly options: readonly Schema[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'any' }

/** A text above this length gets an input of several lines. */
const longText = 200

export function findShape(schema: Schema): Shape {
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return { kind: 'union', options }
  if (Array.isArray(schema.type))
    return { kind: 'union', options: schema.type.map((type: string) => ({ ...schema, type })) }
  if (schema.const !== undefined) return { kind: 'choice', values: [schema.const] }
  if (schema.enum !== undefined) return { kind: 'choice', values: schema.enum }
  if (schema.format === 'binary') return { kind: 'file' }
  if (schema.type === 'string') return { kind: 'text', long: (schema.maxLength ?? 0) > longText }
  if (schema.type === 'number' || schema.type === 'integer')
    return { kind: 'number', integer: schema.type === 'integer' }
  if (schema.type === 'boolean') return { kind: 'flag' }
  if (schema.type === 'array') return { kind: 'list', items: schema.items ?? {} }
  if (schema.type === 'null') return { kind: 'nothing' }
  if (schema.properties === undefined) return { kind: 'any' }
  return { kind: 'object', properties: schema.properties, required: new Set(schema.required) }
}

/** Few words for one way to fill in a union. */
export function findLabel(schema: Schema): string {
  const shape = findShape(schema)
  if (shape.kind === 'choice')
    return shape.values.length === 1 ? JSON.stringify(shape.values[0]) : 'one of a list'
  if (shape.kind === 'list') return `list of ${findLabel(shape.items)}`
  if (shape.kind === 'nothing') return 'null'
  if (shape.kind === 'union') return shape.options.map(findLabel).join(' or ')
  if (shape.kind === 'any') return 'JSON'
  return shape.kind
}
