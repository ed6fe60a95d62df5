/**
 * A schema with the semantics of JSON Schema, but not its syntax. A node is a set of values;
 * names and `$ref` are already resolved. All nodes are frozen.
 */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }

/**
 * Where a node was written: a path relative to the working directory, and a pointer into that file.
 */
export type Origin = { readonly file: string; readonly pointer: string }

/** Annotations: everything about a schema except the set of its values. */
export type Notes = {
  readonly title?: string
  readonly description?: string
  readonly deprecated?: true
  /** `x-renamed-from`: what an older version of the document calls it. */
  readonly renamedFrom?: string
  /** The same of enum values, where `x-renamed-from` is an object: the older value by the newer. */
  readonly renamedValues?: Readonly<Record<string, Json>>
  /** `x-extensible-enum`: the values known today. Others may follow, so all are valid. */
  readonly knownValues?: readonly Json[]
  /** `discriminator` as written. It affects the values only if it distinguishes the options. */
  readonly discriminator?: Json
  readonly default?: Json
  readonly examples?: readonly Json[]
  /** That of the first, where operations have equal parts. */
  readonly origin: Origin
}

type Node<K extends string, Facts> = { readonly kind: K; readonly notes: Notes } & Readonly<Facts>

/** Every value. */
export type AnyNode = Node<'any', object>
/** No value. */
export type NeverNode = Node<'never', object>
export type NullNode = Node<'null', object>
export type BooleanNode = Node<'boolean', object>
export type NumberNode = Node<
  'number',
  {
    integer: boolean
    minimum?: number
    maximum?: number
    exclusiveMinimum?: number
    exclusiveMaximum?: number
    multipleOf?: number
    format?: string
    /** What programs have. Default: a number. */
    as?: 'bigint'
  }
>
/**
 * Lengths are in code points; `pattern` is unanchored with the u flag. `content` is the schema of
 * JSON in the string, which has no effect on validation (JSON Schema 2020-12, validation, 8.5).
 */
export type StringNode = Node<
  'string',
  {
    minLength?: number
    maxLength?: number
    pattern?: string
    format?: string
    /** `contentEncoding`, which has no effect on validation. */
    encoding?: string
    content?: Schema
    /** The representation in programs: a Date or a type of Temporal. Default: a string. */
    as?: 'Date' | 'Instant' | 'PlainDate'
  }
>
/** Raw bytes: a `format: binary` string or a body with a media type that is not text. */
export type BinaryNode = Node<'binary', { maxBytes?: number }>
/**
 * One of these values, compared deeply; also `const`. `names` are what `x-enum-varnames` or
 * `x-enumNames` calls them, one for each value, all different.
 */
export type EnumNode = Node<'enum', { values: readonly Json[]; names?: readonly string[] }>
export type ArrayNode = Node<
  'array',
  {
    prefix: readonly Schema[]
    /** What each element after the prefix must be. */
    items: Schema
    /** `items` explicitly accepts anything, so no element is left for an `unevaluated` node. */
    itemsStated?: true
    contains?: { readonly schema: Schema; readonly min: number; readonly max?: number }
    minItems?: number
    maxItems?: number
    unique: boolean
    /** `unevaluatedItems` of a schema whose parts are all in this node. */
    unevaluated?: Schema
  }
>
export type Property = {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}
export type ObjectNode = Node<
  'object',
  {
    properties: readonly Property[]
    /** Names in `required` without a property. */
    alsoRequired: readonly string[]
    patterns: readonly { readonly pattern: string; readonly schema: Schema }[]
    /** The other properties: an `any` node for an open object, a `never` node for a closed one. */
    additional: Schema
    /** `additional` explicitly accepts anything, so no property is left for `unevaluated`. */
    additionalStated?: true
    propertyNames?: Schema
    minProperties?: number
    maxProperties?: number
    dependentRequired: readonly { readonly name: string; readonly requires: readonly string[] }[]
    dependentSchemas: readonly { readonly name: string; readonly schema: Schema }[]
  }
>
/** At least one of these (`anyOf`, type arrays, nullable). */
export type UnionNode = Node<'union', { options: readonly Schema[] }>
/** Exactly one of these. `discriminator` names a required property with disjoint tags. */
export type OneOfNode = Node<
  'oneOf',
  {
    options: readonly Schema[]
    discriminator?: { readonly property: string; readonly tags: readonly (readonly string[])[] }
  }
>
/** All of these (`allOf`, and keywords beside a `$ref`). */
export type IntersectionNode = Node<'intersection', { parts: readonly Schema[] }>
export type NotNode = Node<'not', { schema: Schema }>
export type ConditionalNode = Node<'conditional', { when: Schema; then: Schema; otherwise: Schema }>
/**
 * `base`, and these schemas for the properties or items that `base` and its parts did not evaluate.
 */
export type UnevaluatedNode = Node<
  'unevaluated',
  { base: Schema; properties?: Schema; items?: Schema }
>
/**
 * A named schema of the same document. `cyclic`: this reference closes a circle: its target is not
 * declared before the schema that contains it, so it must be evaluated late. Never set in
 * operations.
 */
export type RefNode = Node<'ref', { name: string; cyclic: boolean }>

export type Schema =
  | AnyNode
  | NeverNode
  | NullNode
  | BooleanNode
  | NumberNode
  | StringNode
  | BinaryNode
  | EnumNode
  | ArrayNode
  | ObjectNode
  | UnionNode
  | OneOfNode
  | IntersectionNode
  | NotNode
  | ConditionalNode
  | UnevaluatedNode
  | RefNode

export type Kind = Schema['kind']
export type Of<K extends Kind> = Extract<Schema, { readonly kind: K }>

/** One handler a kind, all of them, or it does not compile. */
export type Cases<R> = { readonly [K in Kind]: (schema: Of<K>) => R }

export function match<R>(schema: Schema, cases: Cases<R>): R {
  return (cases[schema.kind] as (schema: Schema) => R)(schema)
}

/** A string that is equal for equal values, whatever the order of members. */
export function canonicalize(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalize(item)}`)
    .join()}}`
}

/** Removes undefined fields: an optional field is absent, never undefined. */
export function omitUndefined<T extends object>(
  fields: T,
): { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
} {
  const result: Record<string, unknown> = {}
  for (const key in fields) {
    const value = fields[key]
    if (value !== undefined) result[key] = value
  }
  return result as never
}

/**
 * The formats of strings that the outputs check, each with the name of its rule. Any other format is
 * an annotation.
 */
export const stringFormats: ReadonlyMap<string, string> = new Map([
  ['date', 'date'],
  ['date-time', 'dateTime'],
  ['time', 'time'],
  ['duration', 'duration'],
  ['email', 'email'],
  ['idn-email', 'idnEmail'],
  ['hostname', 'hostname'],
  ['idn-hostname', 'idnHostname'],
  ['ipv4', 'ipv4'],
  ['ipv6', 'ipv6'],
  ['uuid', 'uuid'],
  ['uri', 'uri'],
  ['url', 'uri'],
  ['iri', 'iri'],
  ['uri-reference', 'uriReference'],
  ['iri-reference', 'iriReference'],
  ['uri-template', 'uriTemplate'],
  ['json-pointer', 'jsonPointer'],
  ['relative-json-pointer', 'relativeJsonPointer'],
  ['byte', 'byte'],
  ['regex', 'regex'],
])

/** The same for numbers. Every JavaScript number is a `float` and a `double`. */
export const numberFormats: ReadonlyMap<string, string> = new Map([
  ['int32', 'int32'],
  ['int64', 'int64'],
])
