import type { Of, Schema } from '@farebox/codegen/model'
import { compareBounds } from './bounds.js'
import { findPossibleRenames, type LoneName } from '../change/possible-renames.js'
import type { Side } from '../difference/side.js'
import { listRequired } from '../values/includes-kinds.js'
import { signature } from '../values/signature.js'
import { describeSchema, noteChange, type Setting } from '../change/note.js'

type ObjectSchema = Of<'object'>

/** Reports how the properties of an object and the rules for them changed. */
export function compareObject(
  base: ObjectSchema,
  head: ObjectSchema,
  where: string,
  setting: Setting,
): boolean {
  const found: boolean[] = []
  const at = (name: string) => `${where}.${name}`
  const before = new Map(base.properties.map((property) => [property.name, property]))
  for (const { name, schema, required } of head.properties) {
    const known = before.get(name)
    const unnamed = known === undefined ? findUnnamedSchema(base, name) : undefined
    if (unnamed !== undefined) {
      const suffix =
        setting.direction === 'request'
          ? required
            ? 'required-property-added'
            : 'property-added'
          : unnamed.kind === 'never'
            ? 'property-added-closed'
            : 'property-added'
      found.push(
        noteChange(
          setting,
          suffix,
          `${at(name)} is new${required ? ' and required' : ''}`,
          schema,
          { to: describeSchema(schema) },
        ),
      )
      // an open object promises nothing about an unnamed property; one with typed additional
      // properties does
      if (unnamed.kind !== 'never' && unnamed.kind !== 'any')
        found.push(setting.compare(unnamed, schema, at(name), setting))
    }
    if (known === undefined) continue
    if ((known.schema.kind === 'never') !== (schema.kind === 'never')) {
      found.push(noteExclusion(known, { name, schema, required }, at(name), setting))
      continue
    }
    if (known.required !== required)
      found.push(
        noteChange(
          setting,
          required ? 'property-required' : 'property-optional',
          `${at(name)} is ${required ? 'required' : 'optional'} now`,
          schema,
          { from: describeRequired(known), to: describeRequired({ required }) },
        ),
      )
    found.push(setting.compare(known.schema, schema, at(name), setting))
  }
  found.push(noteRemoved(base, head, where, setting))
  found.push(
    compareAdditional(base, head, where, setting),
    compareBounds(base, head, where, setting),
  )
  found.push(compareRules(base, head, where, setting))
  return found.some(Boolean)
}

/** A property that is excluded in one of the versions, such as a write-only one in a response. */
function noteExclusion(
  base: ObjectSchema['properties'][number],
  head: ObjectSchema['properties'][number],
  at: string,
  setting: Setting,
): boolean {
  if (head.schema.kind === 'never')
    return noteChange(setting, 'property-removed', `${at} is excluded now`, head.schema, {
      gone: base.schema,
      from: describeSchema(base.schema),
    })
  const suffix =
    setting.direction === 'response'
      ? 'property-added-closed'
      : head.required
        ? 'required-property-added'
        : 'property-added'
  const said = `${at} is no longer excluded${head.required ? ', and is required' : ''}`
  return noteChange(setting, suffix, said, head.schema, { to: describeSchema(head.schema) })
}

function noteRemoved(
  base: ObjectSchema,
  head: ObjectSchema,
  where: string,
  setting: Setting,
): boolean {
  const gone = listUnmatched(base, head)
  const added = gone.length === 0 ? [] : listUnmatched(head, base)
  const renames = findPossibleRenames(
    { kind: 'property', owner: where },
    added.length === 0 ? [] : gone.map(toLoneName),
    added.map(toLoneName),
  )
  const isOpen = head.additional.kind !== 'never'
  for (const { name, schema } of gone) {
    if (schema.kind === 'never') {
      // nobody could send or read it
      if (isOpen)
        noteChange(setting, 'property-added', `${where}.${name} is no longer excluded`, head)
      continue
    }
    const values = { gone: schema, from: describeSchema(schema), possibleRenames: renames(name) }
    noteChange(setting, 'property-removed', `${where}.${name} is gone`, head, values)
  }
  return gone.length > 0
}

/** The properties that the other object lacks. */
function listUnmatched(
  { properties }: ObjectSchema,
  other: ObjectSchema,
): ObjectSchema['properties'] {
  const names = new Set(other.properties.map(({ name }) => name))
  return properties.filter(({ name }) => !names.has(name))
}

function toLoneName({ name, schema, required }: ObjectSchema['properties'][number]): LoneName {
  const { origin, renamedFrom } = schema.notes
  return {
    name,
    origin,
    renamedFrom,
    shape: `${describeRequired({ required })} ${signature(schema)}`,
  }
}

function describeRequired({ required }: { readonly required: boolean }): string {
  return required ? 'required' : 'optional'
}

function compareRules(
  base: ObjectSchema,
  head: ObjectSchema,
  where: string,
  setting: Setting,
): boolean {
  const [from, to] = [
    listRules(base, setting.base, listRequired(head)),
    listRules(head, setting.head, listRequired(base)),
  ]
  const [added, removed] = [
    to.some((rule) => !from.includes(rule)),
    from.some((rule) => !to.includes(rule)),
  ]
  if (!added && !removed) return false
  // a pattern can accept what the rule for additional properties rejects, so removing it may reject
  // more values
  const isOpen = base.additional.kind === 'any' && head.additional.kind === 'any'
  const isOneWay =
    added !== removed && (isOpen || base.patterns.length + head.patterns.length === 0)
  const suffix = !isOneWay ? 'rule-changed' : added ? 'rule-added' : 'rule-removed'
  return noteChange(setting, suffix, `${where} has other rules for its properties now`, head)
}

/** The schema of a property that the object does not name. */
function findUnnamedSchema({ patterns, additional, notes }: ObjectSchema, name: string): Schema {
  const [only, ...more] = patterns
    .filter(({ pattern }) => new RegExp(pattern, 'u').test(name))
    .map(({ schema }) => schema)
  if (only === undefined) return additional
  return more.length === 0 ? only : { kind: 'intersection', notes, parts: [only, ...more] }
}

/**
 * Rules without a change code of their own, each as a string. A member that the other object also
 * requires is not one of them, whether it is described or not.
 */
function listRules(
  { alsoRequired, patterns, propertyNames, dependentRequired, dependentSchemas }: ObjectSchema,
  { meaning }: Side,
  required: ReadonlySet<string>,
): readonly string[] {
  const withSchema = ({ schema, ...rest }: { readonly schema: Schema }) =>
    JSON.stringify([rest, meaning(schema)])
  return [
    ...alsoRequired.filter((name) => !required.has(name)),
    ...patterns.map(withSchema),
    ...(propertyNames ? [meaning(propertyNames)] : []),
    ...dependentRequired.map((rule) => JSON.stringify(rule)),
    ...dependentSchemas.map(withSchema),
  ]
}

function compareAdditional(
  base: ObjectSchema,
  head: ObjectSchema,
  where: string,
  setting: Setting,
): boolean {
  const [before, after] = [base.additional, head.additional]
  if (before.kind === 'never' && after.kind === 'never') return false
  if (after.kind === 'never')
    return noteChange(setting, 'object-closed', `${where} rejects other properties now`, head)
  if (before.kind === 'never')
    return noteChange(setting, 'object-opened', `${where} accepts other properties now`, head)
  return setting.compare(before, after, `${where}.*`, setting)
}
