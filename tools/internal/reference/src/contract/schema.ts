/** JSON Schema as forms read it: each `$ref` is replaced by its target. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  /** Of a string that is a document of its own. */
  readonly contentMediaType?: string
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
  /** A boolean in OpenAPI 3.0. */
  readonly exclusiveMinimum?: number | boolean
  readonly exclusiveMaximum?: number | boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

/** The input that a schema needs. Every schema has exactly one. */
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

/** Longer strings get a text area. */
const longText = 200

export function findShape(schema: Schema): Shape {
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return { kind: 'union', options }
  if (Array.isArray(schema.type))
    return { kind: 'union', options: schema.type.map((type: string) => ({ ...schema, type })) }
  if (schema.const !== undefined) return { kind: 'choice', values: [schema.const] }
  if (schema.enum !== undefined) return { kind: 'choice', values: schema.enum }
  if (schema.format === 'binary') return { kind: 'file' }
  if (schema.type === 'string')
    return {
      kind: 'text',
      long: (schema.maxLength ?? 0) > longText || schema.contentMediaType !== undefined,
    }
  if (schema.type === 'number' || schema.type === 'integer')
    return { kind: 'number', integer: schema.type === 'integer' }
  if (schema.type === 'boolean') return { kind: 'flag' }
  if (schema.type === 'array') return { kind: 'list', items: schema.items ?? {} }
  if (schema.type === 'null') return { kind: 'nothing' }
  if (schema.properties === undefined) return { kind: 'any' }
  return { kind: 'object', properties: schema.properties, required: new Set(schema.required) }
}

/** Names one option of a union in a few words. */
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

type BoundKeywords = Pick<
  Schema,
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
>

/** Describes the limits of a value, each in a few words. */
export function describeBounds(schema: BoundKeywords): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const { minLength, maxLength, minItems, maxItems } = schema
  // in OpenAPI 3.0, `true` excludes the limit itself
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum
  return [
    ...describeRange(
      exclusiveMinimum === true ? undefined : minimum,
      exclusiveMaximum === true ? undefined : maximum,
    ),
    ...(typeof above === 'number' ? [`above ${above}`] : []),
    ...(typeof below === 'number' ? [`below ${below}`] : []),
    ...describeRange(minLength, maxLength, ' characters'),
    ...describeRange(minItems, maxItems, ' items'),
  ]
}

/** Describes how much there may be of something: `2 to 4 items`. */
export function describeRange(
  least: number | undefined,
  most: number | undefined,
  unit = '',
): readonly string[] {
  if (least !== undefined && most !== undefined)
    return [least === most ? `${least}${unit}` : `${least} to ${most}${unit}`]
  if (least !== undefined) return [`at least ${least}${unit}`]
  return most === undefined ? [] : [`at most ${most}${unit}`]
}

/** The value that an input of this schema has at first. */
export function createInitial(schema: Schema): unknown {
  const shape = findShape(schema)
  if (schema.default !== undefined) return schema.default
  if (shape.kind === 'choice') return shape.values[0]
  if (shape.kind === 'list') return []
  if (shape.kind === 'flag') return false
  if (shape.kind === 'text') return ''
  if (shape.kind === 'nothing') return null
  if (shape.kind === 'union')
    return shape.options[0] === undefined ? undefined : createInitial(shape.options[0])
  if (shape.kind !== 'object') return undefined
  const { properties, required } = shape
  return Object.fromEntries(
    [...required].map((name) => [name, createInitial(properties[name] ?? {})]),
  )
}

/** The option of a union that a value belongs to, by its type. The first if none fits. */
export function findOption(options: readonly Schema[], value: unknown): number {
  const found = options.findIndex((option) => fits(option, value))
  return Math.max(0, found)
}

function fits(schema: Schema, value: unknown): boolean {
  const shape = findShape(schema)
  if (shape.kind === 'choice') return shape.values.includes(value)
  if (shape.kind === 'text') return typeof value === 'string'
  if (shape.kind === 'number') return typeof value === 'number'
  if (shape.kind === 'flag') return typeof value === 'boolean'
  if (shape.kind === 'list') return Array.isArray(value)
  if (shape.kind === 'nothing') return value === null
  if (shape.kind === 'file') return value instanceof Blob
  if (shape.kind === 'union') return shape.options.some((option) => fits(option, value))
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
