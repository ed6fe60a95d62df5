import type { Stream } from './api.js'
import { match } from './schema.js'
import type { IntersectionNode, ObjectNode, Property, RefNode, Schema } from './schema.js'

/** What the items of an event stream are, and how their data is read. */
export type Events = { readonly schema: Schema; readonly stream: Stream }

/** Finds a named schema. */
type Lookup = (name: string) => Schema | undefined

/** The facts of named schemas: those that many name are looked at once. */
type EventContext = {
  readonly lookup: Lookup
  /** Whether text that contains JSON is parsed. */
  readonly parses: boolean
  /** By the data inherited from enclosing schemas. */
  readonly shapes: Map<Schema | undefined, Map<string, EventShape | undefined>>
  readonly texts: Map<string, boolean>
}

/**
 * An event, with the names of each option and whether its data is JSON. `size`: the number of
 * schemas after inlining.
 */
type EventShape = {
  readonly schema: Schema
  readonly readings: readonly Reading[]
  readonly size: number
}
type Reading = { readonly names?: readonly string[]; readonly isJson: boolean }

const fields = new Set(['data', 'event', 'id', 'retry'])

/**
 * A schema with the fields of an event describes the event (OpenAPI 3.2, "Special Considerations
 * for Server-Sent Events"). Its data is text, or JSON if it has a `contentSchema` or its schema
 * accepts other values than strings. Any other schema describes the data.
 */
export function readEvents(schema: Schema, lookup: Lookup): Events {
  const known: EventContext = { lookup, parses: true, shapes: new Map(), texts: new Map() }
  const parsed = shapeEvent(schema, known, undefined)
  const isLarge = parsed !== undefined && parsed.size > largest
  const shaped = isLarge
    ? shapeEvent(schema, { ...known, parses: false, shapes: new Map() }, undefined)
    : parsed
  if (shaped !== undefined) return { schema: shaped.schema, stream: buildStream(shaped.readings) }
  const isJson = !isText(schema, known)
  return {
    schema: createEventSchema(
      isJson || schema.kind !== 'any' ? schema : createStringSchema(schema, 'The data.'),
    ),
    stream: buildStream([{ isJson }]),
  }
}

/**
 * A named event with parsed data is inlined wherever it is referenced. Above this size, as in
 * schemas that refer to each other in many ways, the data stays text.
 */
const largest = 1000

function buildStream(readings: readonly Reading[]): Stream {
  const [json, plain] = [
    readings.filter(({ isJson }) => isJson),
    readings.filter(({ isJson }) => !isJson),
  ]
  const eventNames = (some: readonly Reading[]): readonly string[] =>
    some.flatMap(({ names = [] }) => names)
  if (json.length === 0) return { kind: 'events', data: 'text', except: [] }
  return plain.length > 0 && json.every(({ names }) => names !== undefined)
    ? { kind: 'events', data: 'text', except: eventNames(json) }
    : { kind: 'events', data: 'json', except: eventNames(plain) }
}

/** The schema as an event whose data is parsed; undefined if it is not of an event. */
function shapeEvent(
  schema: Schema,
  known: EventContext,
  inherited: Schema | undefined,
): EventShape | undefined {
  if (schema.kind === 'object') return shapeObject(schema, known, inherited)
  if (schema.kind === 'intersection') return shapeParts(schema, known, inherited)
  if (schema.kind === 'ref') return shapeTarget(schema, known, inherited)
  if (schema.kind !== 'union' && schema.kind !== 'oneOf') return undefined
  const options = schema.options
    .map((option) => shapeEvent(option, known, inherited))
    .filter((option) => option !== undefined)
  if (options.length < schema.options.length) return undefined
  const isSame = options.every((option, index) => option.schema === schema.options[index])
  return {
    schema: isSame
      ? schema
      : Object.freeze({ ...schema, options: options.map((option) => option.schema) }),
    readings: dedupeReadings(options),
    size: countReadings(options),
  }
}

function shapeTarget(
  schema: RefNode,
  known: EventContext,
  inherited: Schema | undefined,
): EventShape | undefined {
  const shapes = known.shapes.get(inherited) ?? new Map<string, EventShape | undefined>()
  known.shapes.set(inherited, shapes)
  if (!shapes.has(schema.name)) {
    shapes.set(schema.name, undefined)
    const target = known.lookup(schema.name)
    const shaped = target && shapeEvent(target, known, inherited)
    shapes.set(
      schema.name,
      shaped?.schema === target ? shaped && { ...shaped, schema, size: 1 } : shaped,
    )
  }
  const shaped = shapes.get(schema.name)
  return shaped?.schema.kind === 'ref' ? { ...shaped, schema } : shaped
}

function dedupeReadings(shaped: readonly EventShape[]): readonly Reading[] {
  const all = shaped.flatMap(({ readings }) => readings)
  return [...new Map(all.map((reading) => [JSON.stringify(reading), reading])).values()]
}

function countReadings(shaped: readonly EventShape[]): number {
  return shaped.reduce((sum, { size }) => sum + size, 1)
}

function shapeObject(
  schema: ObjectNode,
  known: EventContext,
  inherited: Schema | undefined,
): EventShape | undefined {
  const { properties, patterns, additional } = schema
  const isEvent =
    properties.some(({ name }) => name === 'data' || name === 'event') &&
    properties.every(({ name }) => fields.has(name))
  if (!isEvent || patterns.length > 0 || (additional.kind !== 'any' && additional.kind !== 'never'))
    return undefined
  const own = properties.find(({ name }) => name === 'data')
  const written = own?.schema ?? inherited
  const content = written && known.parses ? findDataContent(written) : undefined
  const isJson = content !== undefined || (written !== undefined && !isText(written, known))
  const names = listEventNames(properties.find(({ name }) => name === 'event'))
  const reading: Reading = { isJson, ...(names && { names }) }
  const data = content ?? written
  if (data === undefined || data === own?.schema) return { schema, readings: [reading], size: 1 }
  const property: Property = {
    name: 'data',
    schema: data,
    required: own?.required ?? schema.alsoRequired.includes('data'),
  }
  return {
    schema: Object.freeze({ ...schema, properties: [...omitDataProperty(properties), property] }),
    readings: [reading],
    size: 1,
  }
}

/** All parts apply, so a choice among them inherits the data of the others. */
function shapeParts(
  schema: IntersectionNode,
  known: EventContext,
  inherited: Schema | undefined,
): EventShape | undefined {
  const isChoice = ({ kind }: Schema): boolean => kind === 'union' || kind === 'oneOf'
  const base = schema.parts.flatMap((part) =>
    part.kind === 'object' ? part.properties.filter(({ name }) => name === 'data') : [],
  )
  const hasChoice = known.parses && schema.parts.some(isChoice)
  const parts = schema.parts.map((part): EventShape | undefined => {
    if (
      !isChoice(part) &&
      hasChoice &&
      part.kind === 'object' &&
      shapeObject(part, known, undefined)
    )
      return { schema: omitData(part), readings: [], size: 1 }
    return isNeutral(part)
      ? { schema: part, readings: [], size: 1 }
      : shapeEvent(part, known, hasChoice ? (base[0]?.schema ?? inherited) : undefined)
  })
  const shaped = parts.filter((part) => part !== undefined)
  const readings = dedupeReadings(shaped)
  if (shaped.length < schema.parts.length || readings.length === 0) return undefined
  const names = readings.flatMap((reading) => reading.names ?? [])
  const whole: Reading = {
    isJson: readings.some(({ isJson }) => isJson),
    ...(names.length > 0 && { names }),
  }
  const isSame = shaped.every((part, index) => part.schema === schema.parts[index])
  return {
    schema: isSame
      ? schema
      : Object.freeze({ ...schema, parts: shaped.map((part) => part.schema) }),
    readings: hasChoice ? readings : [whole],
    size: countReadings(shaped),
  }
}

/** A part without constraints on the fields of an event. */
function isNeutral(part: Schema): boolean {
  return (
    part.kind === 'not' ||
    part.kind === 'conditional' ||
    (part.kind === 'object' && part.properties.length === 0)
  )
}

function omitData(schema: ObjectNode): Schema {
  const data = schema.properties.find(({ name }) => name === 'data')
  if (data === undefined) return schema
  const alsoRequired = data.required ? [...schema.alsoRequired, 'data'] : schema.alsoRequired
  return Object.freeze({ ...schema, properties: omitDataProperty(schema.properties), alsoRequired })
}

function omitDataProperty(properties: readonly Property[]): readonly Property[] {
  return properties.filter(({ name }) => name !== 'data')
}

/** The names that an event may have, if they are listed. */
function listEventNames(event: Property | undefined): readonly string[] | undefined {
  if (event?.schema.kind !== 'enum') return undefined
  return event.schema.values.filter((value) => typeof value === 'string')
}

/** The schema of the JSON in the data, if there is one. */
function findDataContent(schema: Schema): Schema | undefined {
  if (schema.kind === 'string') return schema.content
  // a schema without a type also accepts other values, which never occur
  return schema.kind === 'union'
    ? schema.options.map(findDataContent).find((content) => content !== undefined)
    : undefined
}

/** Whether a value can only be a string, also if nothing restricts it. */
function isText(schema: Schema, known: EventContext): boolean {
  const isInnerText = (inner: Schema): boolean => isText(inner, known)
  const no = (): boolean => false
  const yes = (): boolean => true
  return match(schema, {
    any: yes,
    string: yes,
    binary: yes,
    enum: ({ values }) => values.every((value) => typeof value === 'string'),
    union: ({ options }) => options.every(isInnerText),
    oneOf: ({ options }) => options.every(isInnerText),
    intersection: ({ parts }) => parts.some((part) => part.kind !== 'any' && isInnerText(part)),
    unevaluated: ({ base }) => isInnerText(base),
    ref: ({ name }) => {
      const target = known.texts.has(name) ? undefined : known.lookup(name)
      if (target !== undefined) known.texts.set(name, false).set(name, isInnerText(target))
      return known.texts.get(name) === true
    },
    never: no,
    null: no,
    boolean: no,
    number: no,
    array: no,
    object: no,
    not: no,
    conditional: no,
  })
}

function createStringSchema({ notes: { origin } }: Schema, description: string): Schema {
  return Object.freeze({ kind: 'string', notes: { origin, description } })
}

/** An event with data of a schema. */
function createEventSchema(data: Schema): Schema {
  const { origin } = data.notes
  const waiting = 'The milliseconds before another call.'
  const number: Schema = {
    kind: 'number',
    integer: true,
    minimum: 0,
    notes: { origin, description: waiting },
  }
  const more: Schema = { kind: 'any', notes: { origin } }
  const optional = (name: string, schema: Schema): Property => ({ name, schema, required: false })
  return Object.freeze({
    kind: 'object',
    notes: { origin },
    properties: [
      { name: 'data', schema: data, required: true },
      optional('event', createStringSchema(data, 'The name of the event.')),
      optional(
        'id',
        createStringSchema(data, 'What a call that goes on sends as `Last-Event-ID`.'),
      ),
      optional('retry', number),
    ],
    alsoRequired: [],
    patterns: [],
    additional: more,
    dependentRequired: [],
    dependentSchemas: [],
  })
}
