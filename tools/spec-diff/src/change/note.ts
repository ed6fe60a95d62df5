import type { Notes, Operation, Schema } from '@farebox/codegen/model'
import type { Sides } from '../difference/side.js'
import type { Code } from './catalogue.js'
import type { ChangeList } from './change-list.js'
import type { ChangeFacts, Direction, Subject } from './change.js'

/** The values that are compared, and their operation. */
export type SettingStart = Sides & {
  readonly changes: ChangeList
  readonly direction: 'request' | 'response'
  readonly operation?: string
  /** The named schema that is compared, which several operations may use. */
  readonly named?: string
}

/** The context within a schema. `compare` is a field to avoid an import cycle. */
export type Setting = SettingStart & {
  /** The innermost schemas under comparison. */
  readonly at?: readonly [base: Schema, head: Schema]
  /** The schemas around them, as far as only this comparison reaches them. */
  readonly around?: readonly (readonly [base: Schema, head: Schema])[]
  readonly compare: (base: Schema, head: Schema, where: string, setting: Setting) => boolean
}

/** The changed fact before and after, and the removed schema. */
export type Values = Pick<ChangeFacts, 'from' | 'to' | 'possibleRenames'> & {
  readonly gone?: Schema
}

/**
 * Reports a change for the direction of the values, unless the set of values is proven to be the
 * same. Returns whether it is reported.
 */
export function noteChange(
  setting: Setting,
  written: string,
  sentence: string,
  head: Schema,
  { gone, ...values }: Values = {},
): boolean {
  const { changes, direction, at } = setting
  const suffix = weigh(written, setting)
  if (suffix === undefined) return false
  const spot = gone
    ? ({ side: 'base', origin: gone.notes.origin } as const)
    : ({ side: 'head', origin: head.notes.origin } as const)
  const code = `${direction}-${suffix}` as Code
  changes.note(code, sentence, spot, {
    direction,
    ...toOwner(setting),
    ...values,
    ...(at && { schemas: toVersions(at, setting) }),
  })
  return true
}

/** How a change affects the set of values. Other changes concern names or notes. */
const effects: Readonly<Record<string, 'narrows' | 'widens' | 'both'>> = {
  'required-property-added': 'narrows',
  'property-required': 'narrows',
  'enum-narrowed': 'narrows',
  'type-narrowed': 'narrows',
  'null-removed': 'narrows',
  'option-removed': 'narrows',
  'object-closed': 'narrows',
  'bound-tightened': 'narrows',
  'format-added': 'narrows',
  'rule-added': 'narrows',
  'property-added-closed': 'widens',
  'property-optional': 'widens',
  'enum-widened': 'widens',
  'type-widened': 'widens',
  'null-added': 'widens',
  'option-added': 'widens',
  'object-opened': 'widens',
  'bound-loosened': 'widens',
  'format-removed': 'widens',
  'rule-removed': 'widens',
  'type-changed': 'both',
  'format-changed': 'both',
  'rule-changed': 'both',
}

/**
 * The suffix, or that of the opposite change if it is proven that the schemas differ in the other
 * direction only. Undefined if they do not differ.
 */
function weigh(suffix: string, setting: Setting): string | undefined {
  const { direction, at, around = [], base, head } = setting
  const effect = effects[suffix]
  if (at === undefined || effect === undefined) return suffix
  const breaks = direction === 'request' ? 'narrows' : 'widens'
  const other = breaks === 'narrows' ? 'widens' : 'narrows'
  const isDisproved = (wanted: 'narrows' | 'widens') => {
    const [from, part, whole] =
      wanted === 'narrows' ? ([base, 0, 1] as const) : ([head, 1, 0] as const)
    return (
      from.within(at[part], at[whole]) ||
      around.some((pair) =>
        passesOn(pair)
          ? from.withinByStructure(pair[part], pair[whole])
          : from.within(pair[part], pair[whole]),
      )
    )
  }
  if (effect === other) return isDisproved(other) && isDisproved(breaks) ? undefined : suffix
  if (!isDisproved(breaks)) return suffix
  if (suffix === 'required-property-added' || suffix === 'property-added-closed')
    return 'property-added'
  if (isDisproved(other)) return undefined
  const group = /^(?:type|option|enum|null)-/.test(suffix) ? 'type' : 'rule'
  return breaks === 'narrows'
    ? { type: 'type-widened', rule: 'rule-removed' }[group]
    : { type: 'type-narrowed', rule: 'rule-added' }[group]
}

/**
 * Whether a difference between members is one between the schemas too. Options of a union may hide
 * it, and so may further rules of an object or of an array.
 */
function passesOn([one, other]: readonly [Schema, Schema]): boolean {
  return isPlain(one) && isPlain(other) && one.kind === other.kind
}

/** Kinds of schemas that no value may fit. A required property of one rejects every object. */
const mayBeEmpty: ReadonlySet<Schema['kind']> = new Set(['never', 'not', 'intersection', 'oneOf'])

function isPlain(schema: Schema): boolean {
  if (schema.kind === 'array')
    return !schema.unique && schema.contains === undefined && schema.minItems === undefined
  return (
    schema.kind === 'object' &&
    schema.patterns.length === 0 &&
    schema.propertyNames === undefined &&
    schema.minProperties === undefined &&
    schema.maxProperties === undefined &&
    schema.dependentRequired.length === 0 &&
    schema.dependentSchemas.length === 0 &&
    !schema.properties.some((one) => one.required && mayBeEmpty.has(one.schema.kind))
  )
}

function toVersions(
  [before, after]: readonly [Schema, Schema],
  { base, head }: Setting,
): Required<ChangeFacts>['schemas'] {
  return {
    base: { schema: before, resolve: base.resolve },
    head: { schema: after, resolve: head.resolve },
  }
}

/** What a change is reported under: the named schema, else the operation. */
export function toOwner({
  named,
  operation,
}: SettingStart): Pick<ChangeFacts, 'subject' | 'operation'> {
  const subject: Subject =
    named !== undefined
      ? { kind: 'schema', name: named }
      : operation !== undefined
        ? { kind: 'operation', name: operation }
        : { kind: 'document' }
  return { subject, ...(operation !== undefined && { operation }) }
}

/** A short description of a schema. */
export function describeSchema(schema: Schema): string {
  if (schema.kind === 'ref') return schema.name
  if (schema.kind === 'number') return schema.integer ? 'an integer' : 'a number'
  const names: Partial<Record<Schema['kind'], string>> = {
    any: 'anything',
    never: 'nothing',
    object: 'an object',
    array: 'an array',
    enum: 'an enum',
    string: 'a string',
    boolean: 'a boolean',
    binary: 'bytes',
  }
  return names[schema.kind] ?? 'something with rules of its own'
}

/**
 * Compares two names, or two options that several names may reach, once for each place that a
 * sentence may name. A schema that kept its name is such a place itself.
 */
export function compareOnce<T extends string | Schema>(
  base: T,
  head: T,
  { changes, direction, operation, named, base: side }: Setting,
  compare: () => boolean,
): boolean {
  const isNamed = typeof base === 'string' && base === head
  const owner = isNamed ? '' : named !== undefined ? `schema ${named}` : `operation ${operation}`
  return changes.compareOnce([side, `${direction} ${owner}`, base, head], operation, compare)
}

/** Both documents, and the list of changes. */
export type Pair = Sides & { readonly changes: ChangeList }

/** `gone`: the change is in the older document. `at`: its place, if not the operation. */
type OperationValues = Pick<ChangeFacts, 'from' | 'to' | 'possibleRenames'> & {
  readonly gone?: boolean
  readonly at?: Notes['origin']
}

/** Reports a change of one operation. Its code implies the direction. */
export type Note = (code: Code, sentence: string, values?: OperationValues) => void

export function createNote(base: Operation, head: Operation, { changes }: Pair): Note {
  const id = head.id
  return (
    code,
    sentence,
    { gone = false, at = gone ? base.origin : head.origin, ...values } = {},
  ) =>
    changes.note(
      code,
      `${id}: ${sentence}`,
      { side: gone ? 'base' : 'head', origin: at },
      {
        direction: findDirection(code),
        subject: { kind: 'operation', name: id },
        operation: id,
        ...values,
      },
    )
}

function findDirection(code: Code): Direction {
  if (code.startsWith('request-') || code.startsWith('security-')) return 'request'
  return code.startsWith('response-') ? 'response' : 'none'
}

export function printJson(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}

/** Reports a change of the document outside of its operations, or of its servers and schemes. */
export type DocumentNote = (
  code: Code,
  sentence: string,
  values?: Pick<ChangeFacts, 'from' | 'to'>,
) => void
