import { match, type Cases, type ObjectNode, type Schema } from '../ir/schema.js'
import { code, join, namespace, type Code } from './code.js'
import { literal, propertyKey } from './literal.js'

/** A function of the runtime for evaluated properties and elements. */
const check = (name: string): Code => code`${namespace('unevaluated', './unevaluated.js')}.${name}`

export type EvaluatedContext = {
  /** The validator of a part. */
  readonly inner: (schema: Schema) => Code
  /**
   * The code of this function for a named schema, which is created only once.
   * `late`: it is declared after this code.
   */
  readonly named: (name: string, late: boolean) => Code
}

/**
 * A function that returns the property names and element indexes of a valid value that a schema has
 * evaluated (JSON Schema 2020-12, sections 11.2 and 11.3). Only in-place applicators count, so
 * references are followed and children are not.
 */
export function printEvaluated(schema: Schema, context: EvaluatedContext): Code {
  const printPart = (part: Schema): Code => printEvaluated(part, context)
  const printChoices = (options: readonly Schema[]): Code =>
    code`${check('evaluatedByMatching')}([${join(
      options.map((option) => code`[${context.inner(option)}, ${printPart(option)}]`),
      ', ',
    )}])`
  const printNone = (): Code => check('evaluatedNothing')

  const cases: Cases<Code> = {
    any: printNone,
    never: printNone,
    null: printNone,
    boolean: printNone,
    number: printNone,
    string: printNone,
    binary: printNone,
    enum: printNone,
    not: printNone,
    array: ({ prefix, items, itemsStated, contains, unevaluated }) => {
      if (items.kind !== 'any' || itemsStated === true || unevaluated !== undefined)
        return check('evaluatedAll')
      return code`${check('evaluatedItems')}(${prefix.length}${contains === undefined ? '' : code`, ${context.inner(contains.schema)}`})`
    },
    object: ({ properties, patterns, additional, additionalStated, dependentSchemas }) => {
      if (additional.kind !== 'any' || additionalStated === true) return check('evaluatedAll')
      const expressions = patterns.map(({ pattern }) => code`new RegExp(${literal(pattern)}, 'u')`)
      const dependents = dependentSchemas.map(
        (dependent) => code`${propertyKey(dependent.name)}: ${printPart(dependent.schema)}`,
      )
      const names = literal(properties.map(({ name }) => name))
      return code`${check('evaluatedProperties')}(${names}, [${join(expressions, ', ')}], { ${join(dependents, ', ')} })`
    },
    union: ({ options }) => printChoices(options),
    oneOf: ({ options }) => printChoices(options),
    intersection: ({ parts }) =>
      code`${check('evaluatedByAll')}([${join(parts.map(printPart), ', ')}])`,
    conditional: ({ when, then, otherwise }) =>
      code`${check('evaluatedByBranch')}(${context.inner(when)}, ${printPart(when)}, ${printPart(then)}, ${printPart(otherwise)})`,
    unevaluated: ({ base, properties, items }) =>
      code`${check('evaluatedByAll')}([${printPart(base)}, ${check('evaluatedUnder')}(${String(properties !== undefined)}, ${String(items !== undefined)})])`,
    ref: ({ name, cyclic }) => context.named(name, cyclic),
  }
  return match(schema, cases)
}

/**
 * The parts of an intersection without `type: object` where another part accepts objects only, as
 * beside a choice of objects.
 */
export function dropBareParts(
  parts: readonly Schema[],
  lookup: (name: string) => Schema,
): readonly Schema[] {
  const others = parts.filter((part) => part.kind !== 'object' || !isBare(part))
  return others.length < parts.length && others.some((part) => acceptsObjectsOnly(part, lookup))
    ? others
    : parts
}

function isBare(node: ObjectNode): boolean {
  return (
    node.properties.length === 0 &&
    node.alsoRequired.length === 0 &&
    node.patterns.length === 0 &&
    node.additional.kind === 'any' &&
    node.propertyNames === undefined &&
    node.minProperties === undefined &&
    node.maxProperties === undefined &&
    node.dependentRequired.length === 0 &&
    node.dependentSchemas.length === 0
  )
}

/** Default of `lookup`: a reference may accept anything. */
export function acceptsObjectsOnly(
  schema: Schema,
  lookup: ((name: string) => Schema) | undefined,
  depth: number = 9,
): boolean {
  const acceptsInner = (inner: Schema): boolean =>
    depth > 0 && acceptsObjectsOnly(inner, lookup, depth - 1)
  if (schema.kind === 'ref') return lookup !== undefined && acceptsInner(lookup(schema.name))
  if (schema.kind === 'union' || schema.kind === 'oneOf') return schema.options.every(acceptsInner)
  if (schema.kind === 'intersection') return schema.parts.some(acceptsInner)
  return schema.kind === 'object'
}
