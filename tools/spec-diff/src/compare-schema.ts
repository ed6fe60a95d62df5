import type { Of, Schema } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import { compareBounds } from './compare-bounds.js'
import { compareNotes } from './compare-notes.js'
import type { Ledger } from './ledger-of-changes.js'
import { shapeOf, type Resolve, type Shape } from './shape.js'
import { signatureOf } from './signature.js'

/** Which values are compared, and for whom. */
export type Setting = {
  readonly ledger: Ledger
  readonly base: Resolve
  readonly head: Resolve
  readonly direction: 'request' | 'response'
  readonly operation?: string
  /** Pairs of names that are compared further up: a circle ends here. */
  readonly open?: ReadonlySet<string>
}

/**
 * Tells how the values of a schema changed, place by place. Says true when it told of any change of the set of values; what it cannot name it
 * tells as a changed rule, never nothing.
 */
export function compareSchema(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  const { open = new Set<string>() } = setting
  const pair = base.kind === 'ref' && head.kind === 'ref' ? `${base.name} ${head.name}` : undefined
  if (pair !== undefined && open.has(pair)) return false
  const inner = pair === undefined ? setting : { ...setting, open: new Set([...open, pair]) }
  // what changed in a named schema is told once, by its name, whoever uses it
  if (base.kind === 'ref' && head.kind === 'ref' && base.name === head.name) {
    const { name } = head
    const [from, to] = [setting.base(name), setting.head(name)]
    if (from.kind !== 'ref' && to.kind !== 'ref') return compareSchema(from, to, name, inner)
  }
  compareNotes(through(base, setting.base), through(head, setting.head), where, setting)
  const [before, after] = [shapeOf(base, setting.base), shapeOf(head, setting.head)]
  const found = [
    before.nullable === after.nullable
      ? false
      : tell(
          inner,
          after.nullable ? 'null-added' : 'null-removed',
          `${where} ${after.nullable ? 'may be null' : 'is never null'} now`,
          head,
        ),
    compareOptions(before, after, base, head, where, inner),
  ]
  return found.some(Boolean)
}

/** Where a reference leads, for its notes; those beside the reference win. */
function through(schema: Schema, resolve: Resolve): Schema {
  let found = schema
  for (let depth = 0; found.kind === 'ref' && depth < 50; depth++) found = resolve(found.name)
  return { ...found, notes: { ...found.notes, ...schema.notes, origin: schema.notes.origin } }
}

function compareOptions(before: Shape, after: Shape, base: Schema, head: Schema, where: string, setting: Setting): boolean {
  const [one] = before.options
  const [other] = after.options
  if (before.options.length === 1 && after.options.length === 1 && one && other) return compareOne(one, other, where, setting)
  if (before.options.length === 0 || after.options.length === 0) {
    if (before.options.length === after.options.length) return false
    return tell(
      setting,
      after.options.length > 0 ? 'type-widened' : 'type-narrowed',
      `${where} ${after.options.length > 0 ? 'may be' : 'can no longer be'} more than null`,
      head,
    )
  }
  if (before.options.length === 1 && after.options.length > 1 && one && others(one, after, setting)) {
    const matched = match(before, after, setting)
    if (matched.added.length === after.options.length - 1) return matchOptions(matched, where, setting, head)
  }
  const told = matchOptions(match(before, after, setting), where, setting, head)
  if (before.exactlyOne === after.exactlyOne || Math.min(before.options.length, after.options.length) < 2) return told
  return (
    tell(
      setting,
      after.exactlyOne ? 'rule-added' : 'rule-removed',
      `${where} must be ${after.exactlyOne ? 'exactly' : 'at least'} one of its options now`,
      base,
    ) || told
  )
}

function others(one: Schema, after: Shape, setting: Setting): boolean {
  return after.options.some((option) => keyOf(option, setting.head) === keyOf(one, setting.base))
}

type Matched = {
  readonly pairs: readonly (readonly [Schema, Schema])[]
  readonly added: readonly Schema[]
  readonly removed: readonly Schema[]
}

/** Options that belong together: of the same name, of the same words, or the only ones of their kind. */
function match(before: Shape, after: Shape, setting: Setting): Matched {
  const pairs: (readonly [Schema, Schema])[] = []
  let [removed, added] = [[...before.options], [...after.options]]
  for (const key of [(schema: Schema) => signatureOf(schema), keyOf] as const) {
    const left: Schema[] = []
    for (const option of removed) {
      const found = added.findIndex((other) => key(other, setting.head) === key(option, setting.base))
      const partner = added[found]
      if (partner === undefined) left.push(option)
      else {
        pairs.push([option, partner])
        added = added.filter((_, index) => index !== found)
      }
    }
    removed = left
  }
  return { pairs, added, removed }
}

/** A name, or a kind with what tells two of a kind apart. */
function keyOf(schema: Schema, resolve: Resolve): string {
  if (schema.kind === 'ref') return `ref ${schema.name}`
  if (schema.kind === 'enum') return `enum ${typeof schema.values[0]}`
  if (schema.kind !== 'object') return schema.kind
  const tags = schema.properties.filter(({ schema: property }) => shapeOf(property, resolve).options[0]?.kind === 'enum')
  return `object ${tags.map(({ name, schema: property }) => `${name}=${signatureOf(property)}`).join(' ')}`
}

function matchOptions({ pairs, added, removed }: Matched, where: string, setting: Setting, head: Schema): boolean {
  const found = pairs.map(([one, other], index) =>
    compareSchema(one, other, pairs.length > 1 ? `${where}, option ${index + 1}` : where, setting),
  )
  for (const option of added) found.push(tell(setting, 'option-added', `${where} may also be ${nameOf(option)} now`, option))
  for (const option of removed) found.push(tell(setting, 'option-removed', `${where} can no longer be ${nameOf(option)}`, head, option))
  return found.some(Boolean)
}

function compareOne(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind === 'ref' || head.kind === 'ref') {
    if (base.kind === 'ref' && head.kind === 'ref' && base.name === head.name) return false
    return tell(setting, 'type-changed', `${where} was ${nameOf(base)} and is ${nameOf(head)} now`, head)
  }
  if (signatureOf(base) === signatureOf(head))
    return base.kind === 'object' && head.kind === 'object' ? compareObject(base, head, where, setting) : inside(base, head, where, setting)
  if (base.kind !== head.kind) return compareKinds(base, head, where, setting)
  const told = inside(base, head, where, setting)
  return told || changedRule(base, head, where, setting)
}

/** Two of one kind. */
function inside(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind === 'object' && head.kind === 'object') return compareObject(base, head, where, setting)
  if (base.kind === 'array' && head.kind === 'array') return compareArray(base, head, where, setting)
  if (base.kind === 'enum' && head.kind === 'enum') return compareEnum(base, head, where, setting)
  if (base.kind === 'number' && head.kind === 'number' && base.integer !== head.integer) {
    const told = tell(
      setting,
      head.integer ? 'type-narrowed' : 'type-widened',
      `${where} is ${head.integer ? 'a whole' : 'any'} number now`,
      head,
    )
    return compareBounds(base, head, where, setting) || told
  }
  if (base.kind === 'intersection' && head.kind === 'intersection' && base.parts.length === head.parts.length) {
    return base.parts.map((part, index) => compareSchema(part, head.parts[index] ?? part, where, setting)).some(Boolean)
  }
  return compareBounds(base, head, where, setting)
}

function compareKinds(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  if (base.kind === 'any' || head.kind === 'never')
    return tell(setting, 'type-narrowed', `${where} was ${nameOf(base)} and is ${nameOf(head)} now`, head)
  if (head.kind === 'any' || base.kind === 'never')
    return tell(setting, 'type-widened', `${where} was ${nameOf(base)} and is ${nameOf(head)} now`, head)
  if (base.kind === 'enum' && holds(base, head))
    return tell(setting, 'type-widened', `${where} was one of a list and may be ${nameOf(head)} of any kind now`, head)
  if (head.kind === 'enum' && holds(head, base))
    return tell(setting, 'type-narrowed', `${where} was ${nameOf(base)} of any kind and is one of a list now`, head)
  if (base.kind === 'intersection' || head.kind === 'intersection') return changedRule(base, head, where, setting)
  return tell(setting, 'type-changed', `${where} was ${nameOf(base)} and is ${nameOf(head)} now`, head)
}

function holds({ values }: Of<'enum'>, { kind }: Schema): boolean {
  return ['string', 'number', 'boolean'].includes(kind) && values.every((value) => typeof value === kind)
}

function changedRule(base: Schema, head: Schema, where: string, setting: Setting): boolean {
  const [from, to] = [base.kind === 'intersection' ? base.parts : [base], head.kind === 'intersection' ? head.parts : [head]]
  const known = new Set(from.map(signatureOf))
  const kept = new Set(to.map(signatureOf))
  const added = to.filter((part) => !known.has(signatureOf(part)))
  const removed = from.filter((part) => !kept.has(signatureOf(part)))
  if (added.length > 0 && removed.length === 0)
    return tell(setting, 'rule-added', `${where} has another rule to keep now`, added[0] ?? head)
  if (removed.length > 0 && added.length === 0) return tell(setting, 'rule-removed', `${where} has a rule less to keep now`, head)
  return tell(setting, 'rule-changed', `${where} has another rule to keep now`, head)
}

function compareObject(base: Of<'object'>, head: Of<'object'>, where: string, setting: Setting): boolean {
  const found: boolean[] = []
  const at = (name: string) => `${where}.${name}`
  const isClosed = base.additional.kind === 'never'
  for (const property of head.properties) {
    const before = base.properties.find(({ name }) => name === property.name)
    if (before === undefined) {
      const suffix =
        setting.direction === 'request'
          ? property.required
            ? 'required-property-added'
            : 'property-added'
          : isClosed
            ? 'property-added-closed'
            : 'property-added'
      found.push(tell(setting, suffix, `${at(property.name)} is new${property.required ? ' and required' : ''}`, property.schema))
      continue
    }
    if (before.required !== property.required) {
      found.push(
        tell(
          setting,
          property.required ? 'property-required' : 'property-optional',
          `${at(property.name)} is ${property.required ? 'required' : 'optional'} now`,
          property.schema,
        ),
      )
    }
    found.push(compareSchema(before.schema, property.schema, at(property.name), setting))
  }
  for (const { name, schema } of base.properties) {
    if (!head.properties.some((property) => property.name === name))
      found.push(tell(setting, 'property-removed', `${at(name)} is gone`, head, schema))
  }
  found.push(compareAdditional(base, head, where, setting), compareBounds(base, head, where, setting))
  const rules = ({ alsoRequired, patterns, propertyNames, dependentRequired, dependentSchemas }: Of<'object'>) =>
    [...alsoRequired, ...patterns, ...(propertyNames ? [propertyNames] : []), ...dependentRequired, ...dependentSchemas].map((rule) =>
      JSON.stringify(rule, (key, value: unknown) => (key === 'notes' ? undefined : value)),
    )
  const [from, to] = [rules(base), rules(head)]
  const [added, removed] = [to.some((rule) => !from.includes(rule)), from.some((rule) => !to.includes(rule))]
  if (added || removed)
    found.push(
      tell(
        setting,
        added && removed ? 'rule-changed' : added ? 'rule-added' : 'rule-removed',
        `${where} has other rules for its properties now`,
        head,
      ),
    )
  return found.some(Boolean)
}

function compareAdditional(base: Of<'object'>, head: Of<'object'>, where: string, setting: Setting): boolean {
  const [before, after] = [base.additional, head.additional]
  if (signatureOf(before) === signatureOf(after) && before.kind !== 'ref') return false
  if (after.kind === 'never') return tell(setting, 'object-closed', `${where} takes no other properties now`, head)
  if (before.kind === 'never') return tell(setting, 'object-opened', `${where} takes other properties now`, head)
  return compareSchema(before, after, `${where}.*`, setting)
}

function compareArray(base: Of<'array'>, head: Of<'array'>, where: string, setting: Setting): boolean {
  const found = [compareSchema(base.items, head.items, `${where}[]`, setting), compareBounds(base, head, where, setting)]
  const length = Math.max(base.prefix.length, head.prefix.length)
  for (let index = 0; index < length; index++) {
    found.push(compareSchema(base.prefix[index] ?? base.items, head.prefix[index] ?? head.items, `${where}[${index}]`, setting))
  }
  const rules = ({ unique, contains, unevaluated }: Of<'array'>) =>
    [unique, contains, unevaluated].map((rule) => JSON.stringify(rule ?? false))
  const [from, to] = [rules(base), rules(head)]
  for (const [index, rule] of to.entries()) {
    const before = from[index]
    if (before === rule) continue
    const suffix = before === 'false' ? 'rule-added' : rule === 'false' ? 'rule-removed' : 'rule-changed'
    found.push(tell(setting, suffix, `${where} has another rule for its elements now`, head))
  }
  return found.some(Boolean)
}

function compareEnum(base: Of<'enum'>, head: Of<'enum'>, where: string, setting: Setting): boolean {
  const written = (values: Of<'enum'>['values']) => values.map((value) => JSON.stringify(value))
  const [from, to] = [written(base.values), written(head.values)]
  const added = to.filter((value) => !from.includes(value))
  const removed = from.filter((value) => !to.includes(value))
  const list = (values: readonly string[]) =>
    values.length > 5 ? `${values.slice(0, 5).join(', ')} and ${values.length - 5} more` : values.join(', ')
  const wider = added.length > 0 && tell(setting, 'enum-widened', `${where} may also be ${list(added)} now`, head)
  const narrower = removed.length > 0 && tell(setting, 'enum-narrowed', `${where} can no longer be ${list(removed)}`, head)
  return wider || narrower
}

/** Tells of a change for the way that the values go. Always true. */
export function tell({ ledger, direction, operation }: Setting, suffix: string, sentence: string, head: Schema, gone?: Schema): true {
  const spot = gone ? ({ side: 'base', origin: gone.notes.origin } as const) : ({ side: 'head', origin: head.notes.origin } as const)
  const code = `${direction}-${suffix}` as Code
  ledger.note(code, sentence, spot, direction, operation)
  return true
}

function nameOf(schema: Schema): string {
  if (schema.kind === 'ref') return schema.name
  if (schema.kind === 'number') return schema.integer ? 'a whole number' : 'a number'
  const names: Partial<Record<Schema['kind'], string>> = {
    any: 'anything',
    never: 'nothing',
    object: 'an object',
    array: 'a list',
    enum: 'one of a list',
    string: 'a text',
    boolean: 'true or false',
    binary: 'bytes',
  }
  return names[schema.kind] ?? 'something with rules of its own'
}
