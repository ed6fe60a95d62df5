import type { Format } from './formats.js'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/** A schema as in the document, without descriptions. A `ref` is looked up by name. */
export type Node =
  | { readonly kind: 'any' | 'never' | 'null' | 'boolean' | 'binary' }
  | NumberNode
  | StringNode
  | { readonly kind: 'enum'; readonly values: readonly Json[] }
  | ArrayNode
  | ObjectNode
  | { readonly kind: 'union' | 'oneOf'; readonly options: readonly Node[] }
  | { readonly kind: 'intersection'; readonly parts: readonly Node[] }
  | { readonly kind: 'not'; readonly schema: Node }
  | {
      readonly kind: 'conditional'
      readonly when: Node
      readonly then: Node
      readonly otherwise: Node
    }
  | {
      readonly kind: 'unevaluated'
      readonly base: Node
      readonly properties?: Node
      readonly items?: Node
    }
  | { readonly kind: 'ref'; readonly name: string }

export type NumberNode = {
  readonly kind: 'number'
  readonly integer: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
}

/** Lengths count code points. The pattern is a Unicode one and may match anywhere. */
export type StringNode = {
  readonly kind: 'string'
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  /** Examples of the document, for patterns from which no text can be generated. */
  readonly examples?: readonly string[]
}

export type ArrayNode = {
  readonly kind: 'array'
  readonly prefix?: readonly Node[]
  readonly items: Node
  readonly itemsStated?: true
  readonly contains?: { readonly schema: Node; readonly min: number; readonly max?: number }
  readonly minItems?: number
  readonly maxItems?: number
  readonly unique?: true
  readonly unevaluated?: Node
}

export type ObjectNode = {
  readonly kind: 'object'
  readonly properties?: readonly {
    readonly name: string
    readonly schema: Node
    readonly required?: true
  }[]
  readonly alsoRequired?: readonly string[]
  readonly patterns?: readonly { readonly pattern: string; readonly schema: Node }[]
  readonly additional: Node
  readonly additionalStated?: true
  /** Other properties are allowed, but none is generated. */
  readonly quiet?: true
  readonly propertyNames?: Node
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly dependentRequired?: readonly {
    readonly name: string
    readonly requires: readonly string[]
  }[]
  readonly dependentSchemas?: readonly { readonly name: string; readonly schema: Node }[]
}

/** What a name of the document stands for. */
export type Lookup = {
  readonly node: (name: string) => Node
  /** Nothing for a format that is an annotation. */
  readonly format: (name: string | undefined) => Format | undefined
}

/** One text for all values that are equal as JSON: keys sorted. */
export function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`
  if (!isRecord(value))
    return typeof value === 'number' ? String(value + 0) : (JSON.stringify(value) ?? 'undefined')
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalize(item)}`).join()}}`
}

/** A JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isBytes(value)
}

export function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array || value instanceof Blob
}
