import { code, join, when, type Code, namespace } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'
import { printEvaluated, dropBareParts, type EvaluatedContext } from '../../emit/applicators.js'
import { oncePer } from '../../emit/schemas.js'
import {
  type ArrayNode,
  type Cases,
  type EnumNode,
  type Json,
  match,
  numberFormats,
  type NumberNode,
  type OneOfNode,
  type Schema,
  stringFormats,
  type StringNode,
} from '../../ir/schema.js'
import { check, formats, unevaluated, z } from './modules.js'
import { isPlainObject, printObject } from './object.js'

export type ExpressionContext = {
  /** Formats are annotations and are not checked. */
  readonly annotate?: true
  /** Schemas have the methods of zod, as `z.string().min(1)`. Default: only `check`. */
  readonly methods?: true
  /** The reference to a named schema. */
  readonly named: (name: string) => Code
  /** The schema of a name. */
  readonly lookup: (name: string) => Schema
  /** Whether the type of a named schema has the methods of its kind. */
  readonly isInferred?: (name: string) => boolean
  /** Shares an expression that the file may repeat. */
  readonly mark: (expression: Code) => Code
  /** Evaluate all names late, since the code may precede their declarations. */
  readonly late?: true
}

/** The zod expression that decides as JSON Schema 2020-12 does. It changes no value. */
export function printSchema(schema: Schema, context: ExpressionContext): Code {
  const { mark } = context
  const inner = (part: Schema): Code =>
    part.kind === 'ref' ? match(part, cases) : mark(match(part, cases))
  const cases: Cases<Code> = {
    any: () => code`${z}.unknown()`,
    never: () => code`${z}.never('Invalid input: nothing is allowed here')`,
    null: () => code`${z}.null()`,
    boolean: () => code`${z}.boolean()`,
    number: (node) => printNumber(node, context),
    string: (node) => printString(node, context),
    binary: () => code`${check('binary')}()`,
    enum: printEnum,
    array: ({ unevaluated: items, ...node }) =>
      items === undefined
        ? printArray(node, inner, context)
        : printUnevaluated(node, undefined, items, context),
    object: (node) => printObject(node, inner, mark),
    union: ({ options }) => printUnion(options, inner, mark),
    oneOf: (node) => printOneOf(node, inner, context),
    intersection: ({ parts }) => {
      const [only, ...others] = dropBareParts(parts, context.lookup)
      return only !== undefined && others.length === 0
        ? inner(only)
        : code`${check('all')}([${printList(dropBareParts(parts, context.lookup), inner)}])`
    },
    not: ({ schema: rejected }) => code`${z}.unknown().check(${check('not')}(${inner(rejected)}))`,
    conditional: ({ when: test, then, otherwise }) =>
      code`${z}.unknown().check(${check('conditional')}(${inner(test)}, ${inner(then)}, ${inner(otherwise)}))`,
    unevaluated: ({ base, properties, items }) =>
      printUnevaluated(base, properties, items, context),
    ref: ({ name, cyclic }) =>
      cyclic || context.late === true
        ? code`${z}.lazy(() => ${context.named(name)})`
        : context.named(name),
  }
  return inner(schema)
}

function printUnevaluated(
  base: Schema,
  properties: Schema | undefined,
  items: Schema | undefined,
  context: ExpressionContext,
): Code {
  const rest = [
    properties !== undefined && code`properties: ${printSchema(properties, context)}`,
    items !== undefined && code`items: ${printSchema(items, context)}`,
  ].filter((part) => part !== false)
  const rule = code`${unevaluated('unevaluated')}(${printEvaluated(base, createEvaluatedContext(context))}, { ${join(rest, ', ')} })`
  return code`${check('checked')}(${printSchema(base, context)}, ${rule})`
}

/**
 * Common parts of schemas are shared, so no name within one may depend on being declared earlier.
 */
const createEvaluatedContext = oncePer((context: ExpressionContext): EvaluatedContext => {
  const late: ExpressionContext = context.late === true ? context : { ...context, late: true }
  const known = new Map<string, Code>()
  return {
    inner: (part) => printSchema(part, context),
    named: (name, isLate) => {
      if (isLate && late !== context) return createEvaluatedContext(late).named(name, true)
      const code =
        known.get(name) ??
        context.mark(printEvaluated(context.lookup(name), createEvaluatedContext(context)))
      known.set(name, code)
      return code
    },
  }
}, new WeakMap())

function printNumber(node: NumberNode, context: ExpressionContext): Code {
  if (node.as === 'bigint') return printBigint(node, context.annotate === true)
  const { integer, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = node
  const format = context.annotate === true ? undefined : findFormatRule(node.format, numberFormats)
  const bounds = [
    ['gte', minimum],
    ['gt', exclusiveMinimum],
    ['lte', maximum],
    ['lt', exclusiveMaximum],
  ] as const
  const native =
    context.methods === true ? printNativeInteger(node, format !== undefined) : undefined
  return addChecks(native ?? code`${z}.number()`, context, [
    native === undefined && (format ?? (integer && check('integer'))),
    ...bounds.map(
      ([name, bound]) =>
        bound !== undefined && {
          method: code`${name}(${literal(bound)})`,
          check: code`${z}.${name}(${literal(bound)})`,
        },
    ),
    multipleOf !== undefined && code`${check('multipleOf')}(${literal(multipleOf)})`,
  ])
}

/** Zod's integers are safe ones, so they need bounds. */
function printNativeInteger(node: NumberNode, isFormat: boolean): Code | undefined {
  if (isFormat) return node.format === 'int32' ? code`${z}.int32()` : undefined
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = node
  const low = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity)
  const high = Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity)
  const isSafe = low >= Number.MIN_SAFE_INTEGER && high <= Number.MAX_SAFE_INTEGER
  return node.integer && isSafe ? code`${z}.int()` : undefined
}

function printString(
  { minLength = 0, maxLength, pattern, format, as }: StringNode,
  context: ExpressionContext,
): Code {
  if (as !== undefined) return printDate(as)
  // zod counts UTF-16 units: only whether there is one is the same in code points
  const isFilled = context.methods === true && minLength === 1 && maxLength === undefined
  return addChecks(code`${z}.string()`, context, [
    isFilled && { method: code`min(1)`, check: code`${check('length')}(1)` },
    context.annotate !== true && findFormatRule(format, stringFormats),
    pattern !== undefined && {
      method: code`regex(${printRegularExpression(pattern)})`,
      check: code`${z}.regex(${printRegularExpression(pattern)})`,
    },
    !isFilled &&
      (minLength > 0 || maxLength !== undefined) &&
      code`${check('length')}(${minLength}${when(maxLength !== undefined, code`, ${maxLength}`)})`,
  ])
}

/** A check as a function, and as a method of zod if there is one. */
type CheckCode = Code | { readonly method: Code; readonly check: Code }

/** With methods where the flavour has them, else with functions, which all flavours have. */
function addChecks(
  base: Code,
  { methods }: ExpressionContext,
  checks: readonly (CheckCode | false | undefined)[],
): Code {
  const stated = checks.filter((one) => one !== undefined && one !== false)
  const named = stated.flatMap((one) => (methods === true && 'method' in one ? [one.method] : []))
  const others = stated.flatMap((one) =>
    'method' in one ? (methods === true ? [] : [one.check]) : [one],
  )
  const chained = code`${base}${join(
    named.map((one) => code`.${one}`),
    '',
  )}`
  return others.length === 0 ? chained : code`${chained}.check(${join(others, ', ')})`
}

/** JSON Schema's patterns match anywhere and are Unicode patterns. */
function printRegularExpression(pattern: string): Code {
  return code`new RegExp(${literal(pattern)}, 'u')`
}

function printEnum({ values }: EnumNode): Code {
  if (values.length === 0) return code`${z}.never()`
  if (values.every((value) => typeof value === 'string')) {
    return values.length === 1
      ? code`${z}.literal(${literal(values[0] ?? null)})`
      : code`${z}.enum(${literal(values)})`
  }
  if (values.every(isScalar))
    return code`${z}.literal(${literal(values.length === 1 ? (values[0] ?? null) : values)})`
  return code`${check('oneOfValues')}(${literal(values)})`
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

function printArray(
  node: ArrayNode,
  inner: (schema: Schema) => Code,
  context: ExpressionContext,
): Code {
  const { prefix, items, contains, minItems, maxItems, unique } = node
  const base =
    prefix.length === 0
      ? code`${z}.array(${inner(items)})`
      : code`${check('tuple')}([${printList(prefix, inner)}], ${inner(items)})`
  // a tuple of the runtime has no methods of arrays
  const bounds = prefix.length === 0 ? context : { ...context, methods: undefined }
  const bounded = addChecks(base, bounds as ExpressionContext, [
    minItems !== undefined && {
      method: code`min(${minItems})`,
      check: code`${z}.minLength(${minItems})`,
    },
    maxItems !== undefined && {
      method: code`max(${maxItems})`,
      check: code`${z}.maxLength(${maxItems})`,
    },
  ])
  const rules = [
    unique && check('unique'),
    contains &&
      code`${check('contains')}(${inner(contains.schema)}, ${contains.min}${when(contains.max !== undefined, code`, ${contains.max}`)})`,
  ].filter((rule) => rule !== undefined && rule !== false)
  return rules.length === 0 ? bounded : code`${check('checked')}(${bounded}, ${join(rules, ', ')})`
}

/** Null is a separate case: a union would hide the error of a value other than null. */
function printUnion(
  options: readonly Schema[],
  inner: (schema: Schema) => Code,
  mark: (expression: Code) => Code,
): Code {
  const others = options.filter(({ kind }) => kind !== 'null')
  const [only] = others
  if (only === undefined) return code`${z}.null()`
  const union = others.length === 1 ? inner(only) : code`${z}.union([${printList(others, inner)}])`
  return others.length === options.length
    ? union
    : code`${z}.nullable(${others.length === 1 ? union : mark(union)})`
}

function printOneOf(
  { options, discriminator }: OneOfNode,
  inner: (schema: Schema) => Code,
  context: ExpressionContext,
): Code {
  const [only, ...others] = options
  if (only === undefined) return code`${z}.never()`
  if (others.length === 0) return inner(only)
  if (discriminator === undefined) return code`${z}.xor([${printList(options, inner)}])`
  const { property } = discriminator
  if (context.methods === true && options.every((option) => hasTag(option, property, context)))
    return code`${z}.discriminatedUnion(${literal(property)}, [${printList(options, inner)}])`
  const tagged = options.map(
    (option, index) => code`[${literal(discriminator.tags[index] ?? [])}, ${inner(option)}]`,
  )
  return code`${check('tagged')}(${literal(discriminator.property)}, [${join(tagged, ', ')}])`
}

/** Whether zod has a plain object for an option, which states its tag. */
function hasTag(option: Schema, property: string, context: ExpressionContext): boolean {
  if (option.kind === 'ref') {
    const { lookup, late, isInferred } = context
    const isDeclared = !option.cyclic && late !== true && isInferred?.(option.name) === true
    return isDeclared && hasTag(lookup(option.name), property, context)
  }
  return (
    option.kind === 'object' &&
    isPlainObject(option) &&
    option.properties.some(
      ({ name, schema, required }) => name === property && required && schema.kind === 'enum',
    )
  )
}

function printList(schemas: readonly Schema[], inner: (schema: Schema) => Code): Code {
  return join(schemas.map(inner), ', ')
}

/** The validator of a Date, or of a value of Temporal. */
function printDate(as: NonNullable<StringNode['as']>): Code {
  if (as === 'Date') return code`${namespace('checks', './checks.js')}.date()`
  return code`${namespace('temporal', './temporal.js')}.${as === 'Instant' ? 'instant' : 'plainDate'}()`
}

/** The validator of a bigint. A number of the document is compared with it without loss. */
function printBigint(node: NumberNode, annotate: boolean): Code {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = node
  const rules = {
    gte: minimum,
    gt: exclusiveMinimum,
    lte: maximum,
    lt: exclusiveMaximum,
    multipleOf,
    any: annotate || undefined,
  }
  const stated = Object.entries(rules).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${String(value)}`],
  )
  return code`${namespace('bigints', './bigints.js')}.int64(${stated.length > 0 && code`{ ${join(stated, ', ')} }`})`
}

/** The rule of a format. Undefined for a format that is an annotation. */
export function findFormatRule(
  format: string | undefined,
  rules: ReadonlyMap<string, string>,
): Code | undefined {
  const name = format === undefined ? undefined : rules.get(format)
  return name === undefined ? undefined : code`${formats}.${name}`
}
