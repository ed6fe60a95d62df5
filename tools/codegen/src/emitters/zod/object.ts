import { code, join, nothing, when, type Code } from '../../emit/code.js'
import { literal, propertyKey } from '../../emit/literal.js'
import type { ObjectNode, Property, Schema } from '../../ir/schema.js'
import { check, z } from './modules.js'

/** Names that every object inherits: zod would read the inherited value of a missing property. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** An object: closed, open or with additional properties. One check holds all other rules. */
export function printObject(
  node: ObjectNode,
  inner: (schema: Schema) => Code,
  mark: (expression: Code) => Code,
): Code {
  const shape = node.properties.filter(({ name }) => !inherited.has(name))
  const own = node.properties.filter(({ name }) => inherited.has(name))
  const additional = node.additional.kind
  const custom = own.length > 0 || node.patterns.length > 0

  const fields = shape.map((property) => printProperty(property, inner, mark))
  const body = fields.length === 0 ? code`{}` : code`{\n  ${join(fields, ',\n')},\n}`
  const base =
    !custom && additional === 'never'
      ? code`${z}.strictObject(${body})`
      : !custom && additional !== 'any'
        ? code`${check('record')}(${body}, ${inner(node.additional)})`
        : code`${z}.looseObject(${body})`
  const rules = printObjectRules(node, own, custom, inner)
  return rules.length === 0
    ? base
    : code`${check('checked')}(${mark(base)}, ${check('object')}({ ${join(rules, ', ')} }))`
}

/** An object of any other names, whose fields are expressions already. */
export function printOpenObject(
  fields: readonly { readonly name: string; readonly required: boolean; readonly value: Code }[],
  mark: (expression: Code) => Code,
): Code {
  const own = fields.filter(({ name }) => inherited.has(name))
  const shape = fields
    .filter(({ name }) => !inherited.has(name))
    .map(({ name, required, value }) => printField(name, required, value, mark))
  const base = code`${z}.looseObject({ ${join(shape, ', ')} })`
  if (own.length === 0) return base
  const names = own.filter(({ required }) => required).map(({ name }) => name)
  const values = own.map(({ name, value }) => code`${propertyKey(name)}: ${value}`)
  return code`${check('checked')}(${mark(base)}, ${check('object')}({ ${when(names.length > 0, code`required: ${literal(names)}, `)}own: { ${join(values, ', ')} } }))`
}

/** Whether zod's own object has all rules of an object. */
export function isPlainObject(node: ObjectNode): boolean {
  const own = node.properties.filter(({ name }) => inherited.has(name))
  return (
    own.length === 0 &&
    node.patterns.length === 0 &&
    ['any', 'never'].includes(node.additional.kind) &&
    printObjectRules(node, own, false, () => nothing).length === 0
  )
}

function printProperty(
  { name, schema, required }: Property,
  inner: (schema: Schema) => Code,
  mark: (expression: Code) => Code,
): Code {
  return printField(name, required, inner(schema), mark)
}

function printField(
  name: string,
  required: boolean,
  value: Code,
  mark: (expression: Code) => Code,
): Code {
  return code`${propertyKey(name)}: ${required ? value : mark(code`${z}.exactOptional(${value})`)}`
}

function printObjectRules(
  node: ObjectNode,
  own: readonly Property[],
  custom: boolean,
  inner: (schema: Schema) => Code,
): readonly Code[] {
  const required = [
    ...node.alsoRequired,
    ...own.filter((property) => property.required).map(({ name }) => name),
  ]
  const record = (entries: readonly { readonly name: string; readonly schema: Schema }[]): Code =>
    code`{ ${join(
      entries.map(({ name, schema }) => code`${propertyKey(name)}: ${inner(schema)}`),
      ', ',
    )} }`
  const {
    additional,
    patterns,
    propertyNames,
    minProperties,
    maxProperties,
    dependentRequired,
    dependentSchemas,
  } = node
  const dependents = dependentRequired.map(
    ({ name, requires }) => code`${propertyKey(name)}: ${literal(requires)}`,
  )
  return [
    when(required.length > 0, code`required: ${literal(required)}`),
    own.length > 0 && code`own: ${record(own)}`,
    patterns.length > 0 &&
      code`patterns: [${join(
        patterns.map(
          ({ pattern, schema }) => code`[new RegExp(${literal(pattern)}, 'u'), ${inner(schema)}]`,
        ),
        ', ',
      )}]`,
    custom &&
      additional.kind !== 'any' &&
      code`named: ${literal(node.properties.map(({ name }) => name))}, additional: ${inner(additional)}`,
    propertyNames !== undefined && code`names: ${inner(propertyNames)}`,
    minProperties !== undefined && code`min: ${minProperties}`,
    maxProperties !== undefined && code`max: ${maxProperties}`,
    dependents.length > 0 && code`dependentRequired: { ${join(dependents, ', ')} }`,
    dependentSchemas.length > 0 && code`dependentSchemas: ${record(dependentSchemas)}`,
  ].filter((rule): rule is Code => rule !== false && rule.text !== '')
}
