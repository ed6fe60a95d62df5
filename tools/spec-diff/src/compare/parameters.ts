import type { Operation, Parameter, Schema } from '@farebox/codegen/model'
import { compareSchema } from '../schema/schema.js'
import { toMediaKey } from './media-key.js'
import { findPossibleRenames, type LoneName } from '../change/possible-renames.js'
import type { Side } from '../difference/side.js'
import { signature } from '../values/signature.js'
import { printJson, type Note, type Pair } from '../change/note.js'

export function compareParameters(base: Operation, head: Operation, pair: Pair, note: Note): void {
  for (const parameter of head.parameters) {
    const title = `the ${parameter.in} parameter ${parameter.name}`
    const before = base.parameters.find((one) => isSame(one, parameter))
    if (before) {
      compareParameter(before, parameter, title, pair, head.id, note)
      continue
    }
    const from = findMoved(parameter, base.parameters)
    if (from) {
      note(
        'request-parameter-moved',
        `${parameter.name} was in the ${from.in} and is in the ${parameter.in} now`,
        {
          from: from.in,
          to: parameter.in,
          at: parameter.notes.origin,
        },
      )
      compareValue(from, parameter, title, pair, head.id, note)
    } else
      note(
        parameter.required && !parameter.credential
          ? 'request-required-parameter-added'
          : 'request-parameter-added',
        `${title} is new${parameter.required ? ' and required' : ''}`,
        { at: parameter.notes.origin },
      )
  }
  noteRemoved(base, head, note)
}

function noteRemoved(base: Operation, head: Operation, note: Note): void {
  const gone = listUnmatched(base.parameters, head.parameters)
  const added = gone.length === 0 ? [] : listUnmatched(head.parameters, base.parameters)
  const renames = findPossibleRenames(
    { kind: 'parameter', owner: head.id },
    gone.map(toLoneName),
    added.map(toLoneName),
  )
  for (const parameter of gone) {
    if (isField(head, parameter) && !isField(base, parameter)) {
      const values = { gone: true, at: parameter.notes.origin, from: parameter.in, to: 'body' }
      note(
        'request-parameter-moved',
        `${parameter.name} was in the ${parameter.in} and is in the body now`,
        values,
      )
      continue
    }
    note('request-parameter-removed', `the ${parameter.in} parameter ${parameter.name} is gone`, {
      gone: true,
      at: parameter.notes.origin,
      possibleRenames: renames(parameter.name),
    })
  }
}

/** The parameters that the other version does not have in any place. */
function listUnmatched(
  all: readonly Parameter[],
  others: readonly Parameter[],
): readonly Parameter[] {
  return all.filter((one) => !others.some((other) => isSame(one, other)) && !findMoved(one, others))
}

function isSame(one: Parameter, other: Parameter): boolean {
  return one.in === other.in && toComparedName(one) === toComparedName(other)
}

/** The parameter of the same name in another place of the request. */
function findMoved(one: Parameter, all: readonly Parameter[]): Parameter | undefined {
  return all.find((other) => other.in !== one.in && toComparedName(other) === toComparedName(one))
}

function toLoneName({
  name,
  notes: { origin, renamedFrom },
  schema,
  ...parameter
}: Parameter): LoneName {
  const { in: group, required, style, explode, allowReserved, mediaType, credential } = parameter
  const shape = printJson([
    group,
    required,
    style,
    explode,
    allowReserved,
    mediaType ?? null,
    credential,
    signature(schema),
  ])
  return { name, origin, renamedFrom, shape }
}

/** Whether the body that is sent by default has a field with the name of a parameter. */
function isField({ body }: Operation, { name }: Parameter): boolean {
  return body?.contents[0]?.fields.includes(name) === true
}

function compareParameter(
  base: Parameter,
  head: Parameter,
  title: string,
  pair: Pair,
  operation: string,
  note: Note,
): void {
  const at = head.notes.origin
  if (readStyle(base, pair.base) !== readStyle(head, pair.head))
    note('request-parameter-style-changed', `${title} has another style now`, { at })
  const [before, after] = [allowsEmpty(base, pair.base), allowsEmpty(head, pair.head)]
  if (base.allowEmptyValue !== head.allowEmptyValue && before !== after)
    note(
      after ? 'request-parameter-empty-allowed' : 'request-parameter-empty-rejected',
      `${title} may ${after ? '' : 'no longer '}be without a value`,
      { at },
    )
  if (base.credential !== head.credential)
    note(
      'request-parameter-credential-changed',
      `${title} is ${head.credential ? '' : 'no longer '}a credential`,
      { at },
    )
  compareValue(base, head, title, pair, operation, note)
  if (base.notes.deprecated !== head.notes.deprecated) {
    const isNow = head.notes.deprecated === true
    pair.changes.note(
      isNow ? 'field-deprecated' : 'field-undeprecated',
      `${operation}: ${title} is ${isNow ? '' : 'no longer '}deprecated`,
      { side: 'head', origin: at },
      { direction: 'both', subject: { kind: 'operation', name: operation }, operation },
    )
  }
  if (base.notes.description !== head.notes.description)
    pair.changes.note(
      'description-changed',
      `${operation}: ${title} has another description`,
      { side: 'head', origin: at },
      {
        direction: 'both',
        subject: { kind: 'operation', name: operation },
        operation,
        from: base.notes.description,
        to: head.notes.description,
      },
    )
}

/** Whether a request may name a parameter without a value. For a string, that is an empty one. */
function allowsEmpty({ allowEmptyValue, schema }: Parameter, { shape }: Side): boolean {
  return (
    allowEmptyValue === true ||
    shape(schema).options.some(({ kind }) => kind === 'string' || kind === 'any')
  )
}

/**
 * How a parameter is written. `explode` has no effect on one value, on an array in the style
 * `simple`, and in the style `deepObject`.
 */
function readStyle(parameter: Parameter, { shape }: Side): string {
  const { style, explode, allowReserved, mediaType, schema } = parameter
  if (mediaType !== undefined) return printJson([toMediaKey(mediaType), allowReserved])
  const isPlain = shape(schema).options.every(
    (option) =>
      style === 'deepObject' || isSingle(option) || (style === 'simple' && option.kind === 'array'),
  )
  return printJson([style, isPlain ? null : explode, allowReserved])
}

function isSingle(schema: Schema): boolean {
  if (schema.kind === 'enum')
    return schema.values.every((value) => typeof value !== 'object' || value === null)
  return ['string', 'number', 'boolean', 'null'].includes(schema.kind)
}

/** The facts of a parameter that do not depend on its place. */
function compareValue(
  base: Parameter,
  head: Parameter,
  title: string,
  pair: Pair,
  operation: string,
  note: Note,
): void {
  const at = head.notes.origin
  if (base.required !== head.required)
    note(
      head.required ? 'request-parameter-required' : 'request-parameter-optional',
      `${title} is ${head.required ? 'required' : 'optional'} now`,
      { at },
    )
  if (base.field !== head.field)
    note(
      'request-field-renamed',
      `${title} was the field ${base.field} of the input and is ${head.field} now`,
      {
        from: base.field,
        to: head.field,
        at,
      },
    )
  compareSchema(base.schema, head.schema, `${operation}: ${title}`, {
    ...pair,
    direction: 'request',
    operation,
  })
}

/** Header names are case-insensitive. */
function toComparedName({ in: place, name }: Parameter): string {
  return place === 'header' ? name.toLowerCase() : name
}
