import type { Api, Response } from '../ir/api.js'
import {
  match,
  type Cases,
  type ObjectNode,
  type Of,
  type Schema,
  type StringNode,
} from '../ir/schema.js'
import { code, type Code, join, namespace, symbol, when } from './code.js'
import { docComment, literal, propertyKey } from './literal.js'
import { acceptsObjectsOnly, dropBareParts } from './applicators.js'
import { findBranches, type Branches } from './branches.js'
import { createLookup, holdsBinary, resolveRef } from './schemas.js'

export type TypeContext = {
  /** The reference to a named schema. */
  readonly named: (name: string) => Code
  /** The type of raw bytes. */
  readonly binary: Code
  /** The type of a date. Default: the global names, if no schema has them. */
  readonly date?: (as: NonNullable<StringNode['as']>) => Code
  /** Fields of a short enumeration are written with its values. Default: with its name. */
  readonly api?: Api
  /**
   * Properties and elements are assignable. Default: they are `readonly`.
   */
  readonly mutable?: true
}

/** The TypeScript type of a schema, without bounds, patterns and `not`, whatever its conditions. */
export function typeText(schema: Schema, context: TypeContext): Code {
  const text = (inner: Schema): Code => match(inner, cases)
  const readonly = context.mutable === true ? '' : 'readonly '
  const lookup = context.api && createLookup(context.api)
  const field = (inner: Schema): Code => printFieldType(inner, context)
  const object = (node: ObjectNode, more: readonly Code[] = []): Code =>
    printObject(node, field, text, readonly, more)
  const printObjectWithBranches = (node: ObjectNode, closed: boolean): Code => {
    if (node.dependentSchemas.length === 0) return object(node)
    const found = findBranches(node, closed, lookup)
    const shut: ObjectNode = { ...node, additional: { kind: 'never', notes: node.notes } }
    return object(found?.exact === true ? shut : node, printBranchFields(found, field, readonly))
  }
  const part = (inner: Schema): Code => (inner.kind === 'object' ? object(inner) : text(inner))
  const printIntersection = (node: Of<'intersection'>, closed: boolean): Code => {
    const { parts } = node
    const objects: Of<'intersection'> = { ...node, parts: parts.map(removeNull) }
    if (
      parts.some(hasBranches) &&
      !acceptsObjectsOnly(node, lookup) &&
      acceptsObjectsOnly(objects, lookup)
    )
      return code`${printIntersection(objects, closed)} | null`
    const needed = lookup === undefined ? parts : dropBareParts(parts, lookup)
    const more =
      parts.some(hasBranches) && acceptsObjectsOnly(node, lookup)
        ? printBranchFields(findBranches(node, closed, lookup), field, readonly)
        : []
    return printParts(
      parts.filter((inner) => needed.includes(inner) || !isDemand(inner)),
      parts.some((inner) => !isDemand(inner) && !untyped.has(inner.kind))
        ? (inner) => printDemand(inner, part, readonly)
        : part,
      more.length === 0 ? [] : [code`{\n${join(more, '\n')}\n}`],
    )
  }
  const cases: Cases<Code> = {
    any: () => code`unknown`,
    never: () => code`never`,
    null: () => code`null`,
    boolean: () => code`boolean`,
    number: ({ as }) => code`${as ?? 'number'}`,
    string: ({ as }) => (as === undefined ? code`string` : (context.date ?? printDateType)(as)),
    binary: () => context.binary,
    enum: ({ values }) =>
      join(
        values.map((value) => literal(value)),
        ' | ',
      ),
    array: (node) =>
      node.prefix.length === 0
        ? code`${readonly}${groupType(node.items, text)}[]`
        : printTuple(node, text, readonly),
    object: (node) => printObjectWithBranches(node, false),
    union: ({ options }) => joinTypes(options.map(text), ' | '),
    oneOf: ({ options }) => joinTypes(options.map(text), ' | '),
    intersection: (node) => printIntersection(node, false),
    not: () => code`unknown`,
    conditional: () => code`unknown`,
    unevaluated: ({ base, properties }) => {
      const closed = properties?.kind === 'never'
      if (base.kind === 'object') return printObjectWithBranches(base, closed)
      return base.kind === 'intersection' ? printIntersection(base, closed) : text(base)
    },
    ref: ({ name }) => context.named(name),
  }
  return text(schema)
}

function printDateType(as: NonNullable<StringNode['as']>): Code {
  return as === 'Date'
    ? code`Date`
    : code`${symbol('Temporal', 'temporal-spec', { typeOnly: true })}.${as}`
}

/** More values are easier to read by their name. */
const maxInlinedEnumValues = 12

/**
 * The type of a field. A compiler that rejects a value shows the values of a short enumeration,
 * where it would show only the name of their type.
 */
export function printFieldType(schema: Schema, context: TypeContext): Code {
  const { api } = context
  if (api === undefined) return typeText(schema, context)
  const target = resolveRef(api, schema)
  const isShort = target.kind === 'enum' && target.values.length <= maxInlinedEnumValues
  return typeText(isShort ? target : schema, context)
}

/** One field of an object type with its doc comment. */
export function printField(
  name: string,
  schema: Schema,
  required: boolean,
  type: Code,
  readonly: Readonly = 'readonly ',
): Code {
  return code`${docComment(commentLines(schema), '  ')}  ${readonly}${propertyKey(name)}${when(!required, '?')}: ${type}`
}

/**
 * The lines of a doc comment. Examples of objects and arrays are left out, because they are long.
 */
export function commentLines(schema: Schema): readonly (string | undefined)[] {
  const { title, description, deprecated, default: byDefault, examples = [] } = schema.notes
  const format = schema.kind === 'string' || schema.kind === 'number' ? schema.format : undefined
  return [
    description ?? title,
    format && `Format: ${format}.`,
    byDefault === undefined ? undefined : `@default ${JSON.stringify(byDefault)}`,
    ...examples
      .filter((example) => typeof example !== 'object')
      .map((example) => `@example ${JSON.stringify(example)}`),
    deprecated === true ? '@deprecated' : undefined,
  ]
}

type Readonly = '' | 'readonly '

function printObject(
  node: ObjectNode,
  field: (schema: Schema) => Code,
  text: (schema: Schema) => Code,
  readonly: Readonly,
  more: readonly Code[],
): Code {
  const fields = node.properties.map(({ name, schema, required }) =>
    printField(name, schema, required, field(schema), readonly),
  )
  const declared = new Set(node.properties.map(({ name }) => name))
  const bare = node.alsoRequired
    .filter((name) => !declared.has(name))
    .map((name) => code`  ${readonly}${propertyKey(name)}: unknown`)
  const known = [...fields, ...bare, ...more]
  const rest = printRestType(node, text)
  const index = known.length === 0 ? rest : rest === undefined ? undefined : code`unknown`
  const members = [
    ...known,
    ...(index === undefined ? [] : [code`  ${readonly}[key: string]: ${index}`]),
  ]
  return members.length === 0
    ? code`Readonly<Record<string, never>>`
    : code`{\n${join(members, '\n')}\n}`
}

/** Where the object is open, a property may have another type without the branch. */
function printBranchFields(
  branches: Branches | undefined,
  field: (schema: Schema) => Code,
  readonly: Readonly,
): readonly Code[] {
  return [...(branches?.fields ?? [])].flatMap(([name, schemas]) => {
    const [first] = schemas
    const type = branches?.exact === true ? joinTypes(schemas.map(field), ' | ') : code`unknown`
    return first === undefined ? [] : [printField(name, first, false, type, readonly)]
  })
}

function hasBranches(part: Schema): boolean {
  return part.kind === 'conditional' || (part.kind === 'object' && part.dependentSchemas.length > 0)
}

/** The options of a choice beside null. */
function removeNull(schema: Schema): Schema {
  if (schema.kind !== 'union') return schema
  const options = schema.options.filter(({ kind }) => kind !== 'null')
  const [only] = options
  return options.length === 1 && only !== undefined ? only : { ...schema, options }
}

/** The kinds of schemas that have no type of their own. */
const untyped: ReadonlySet<Schema['kind']> = new Set(['any', 'not', 'conditional'])

/** Whether a schema says no more than that it is an object, or which properties that has. */
function isDemand(schema: Schema): boolean {
  if (schema.kind === 'union' || schema.kind === 'oneOf') return schema.options.every(isDemand)
  return (
    schema.kind === 'object' &&
    schema.properties.length === 0 &&
    schema.patterns.length === 0 &&
    schema.additional.kind === 'any' &&
    schema.additionalStated !== true
  )
}

/** Beside the type of an object a demand adds no other properties. */
function printDemand(schema: Schema, text: (schema: Schema) => Code, readonly: Readonly): Code {
  if (!isDemand(schema)) return text(schema)
  if (schema.kind === 'union' || schema.kind === 'oneOf')
    return joinTypes(
      schema.options.map((option) => printDemand(option, text, readonly)),
      ' | ',
    )
  const { alsoRequired } = schema as ObjectNode
  if (alsoRequired.length === 0) return code`object`
  const fields = alsoRequired.map((name) => code`  ${readonly}${propertyKey(name)}: unknown`)
  return code`{\n${join(fields, '\n')}\n}`
}

/** The type of unnamed properties. Undefined if there are none, or if it adds nothing. */
function printRestType(
  { additional, patterns, properties }: ObjectNode,
  text: (schema: Schema) => Code,
): Code | undefined {
  if (additional.kind === 'never' && patterns.length === 0) return undefined
  if (additional.kind === 'any' && properties.length > 0) return undefined
  const types = [
    ...patterns.map(({ schema }) => text(schema)),
    ...(additional.kind === 'never' ? [] : [text(additional)]),
  ]
  return joinTypes(types, ' | ')
}

/** An element that `minItems` requires is not optional. */
function printTuple(
  { prefix, items, minItems = 0 }: Of<'array'>,
  text: (schema: Schema) => Code,
  readonly: Readonly,
): Code {
  const heads = prefix.map((schema, index) =>
    index < minItems ? text(schema) : code`(${text(schema)})?`,
  )
  const rest = items.kind === 'never' ? [] : [code`...${groupType(items, text)}[]`]
  return code`${readonly}[${join([...heads, ...rest], ', ')}]`
}

function printParts(
  parts: readonly Schema[],
  text: (schema: Schema) => Code,
  more: readonly Code[] = [],
): Code {
  const types = parts
    .map((part) => ({ part, type: text(part) }))
    .filter(({ type }) => type.text !== 'unknown')
  const isOne = types.length + more.length === 1
  if (types.length + more.length === 0) return code`unknown`
  return joinTypes(
    [
      ...types.map(({ part, type }) => (!isOne && isChoice(part) ? code`(${type})` : type)),
      ...more,
    ],
    ' & ',
  )
}

function joinTypes(types: readonly Code[], separator: string): Code {
  const seen = new Set<string>()
  const distinct = types.filter(({ text }) => !seen.has(text) && seen.add(text))
  if (separator === ' | ' && distinct.some(({ text }) => text === 'unknown')) return code`unknown`
  return distinct.length === 0 ? code`never` : join(distinct, separator)
}

function groupType(schema: Schema, text: (schema: Schema) => Code): Code {
  return isChoice(schema) || isGrouped(schema) ? code`(${text(schema)})` : text(schema)
}

function isGrouped(schema: Schema): boolean {
  if (schema.kind === 'unevaluated') return isGrouped(schema.base)
  return schema.kind === 'intersection' || schema.kind === 'array'
}

/** Whether the type is, or may be, written with `|` outermost. */
export function isChoice(schema: Schema): boolean {
  if (schema.kind === 'intersection') return schema.parts.some(isChoice)
  if (schema.kind === 'unevaluated') return isChoice(schema.base)
  return (
    schema.kind === 'union' ||
    schema.kind === 'oneOf' ||
    schema.kind === 'enum' ||
    schema.kind === 'binary'
  )
}

const types = namespace('types', '#types', { typeOnly: true })

/** In JSON, a urlencoded form or a parameter, bytes can only be a string. */
export const textual: TypeContext = {
  named: (name) => code`${types}.${name}`,
  binary: code`string`,
}

/** The types of form fields: those of the document, except for files. */
type FormTypes = TypeContext & {
  /**
   * Declarations of the referenced types, each once: schemas may refer to each other in more ways
   * than can be inlined.
   */
  readonly declarations: () => readonly Code[]
}

/** `file` is the type of a file in a form. */
export function createFormTypes(api: Api, file: Code): FormTypes {
  const lookup = createLookup(api)
  const names = new Set<string>()
  const printName = (name: string): Code => {
    const schema = lookup(name)
    if (!holdsBinary(api, schema)) return textual.named(name)
    if (resolveRef(api, schema).kind === 'binary') return file
    names.add(name)
    return code`${name}Form`
  }
  const context: TypeContext = { named: printName, binary: file }
  const printDeclaration = (name: string): Code =>
    code`${docComment([`What \`${name}\` is within a form.`])}export type ${name}Form = ${typeText(lookup(name), context)}`
  // a declaration may add names, which the iteration then visits
  return { ...context, declarations: () => Array.from(names, printDeclaration) }
}

/** The statuses of a declared response, as a type. */
export type StatusType = { readonly type: Code; readonly succeeds: boolean }

type Status = Response['status']

/**
 * One type for each class of statuses of a response, with successes apart from failures. No status
 * is in the types of two responses.
 */
export function listStatusTypes(
  { status }: Response,
  responses: readonly Response[],
): readonly StatusType[] {
  const declared = responses.map((response) => response.status)
  if (typeof status === 'number')
    return [{ type: code`${status}`, succeeds: readStatusClass(status) === '2' }]
  if (status !== 'default')
    return [
      {
        type: printStatusRange([readStatusClass(status)], declared),
        succeeds: readStatusClass(status) === '2',
      },
    ]
  // beside a declared success, `default` means failures; otherwise it means both
  const succeeds = declared.some((other) => readStatusClass(other) === '2')
  const failure = { type: printStatusRange(['3', '4', '5'], declared, true), succeeds: false }
  return succeeds
    ? [failure]
    : [{ type: printStatusRange(['2'], declared, true), succeeds: true }, failure]
}

/**
 * Every status of some classes, except those that are declared themselves or, with `beyondRanges`,
 * by their range.
 */
function printStatusRange(
  classes: readonly string[],
  declared: readonly Status[],
  beyondRanges = false,
): Code {
  const left = classes.filter(
    (one) => !beyondRanges || !declared.some((status) => status === `${one}XX`),
  )
  if (left.length === 0) return code`never`
  const range = code`${symbol('StatusRange', './call.js', { typeOnly: true })}<${left.map((one) => `'${one}'`).join(' | ')}>`
  const apart = declared.filter(
    (status) => typeof status === 'number' && left.includes(readStatusClass(status)),
  )
  return apart.length === 0 ? range : code`Exclude<${range}, ${apart.join(' | ')}>`
}

function readStatusClass(status: Status): string {
  return String(status).charAt(0)
}
