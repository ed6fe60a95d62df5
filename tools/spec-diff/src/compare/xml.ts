import {
  isObject,
  parsePointer,
  type Api,
  type Document,
  type Json,
  type JsonObject,
} from '@farebox/codegen/model'
import type { ChangeList } from '../change/change-list.js'
import type { Subject } from '../change/change.js'
import {
  createReader,
  listMembers,
  readOperations,
  type LocatedValue,
  type Reader,
} from './document-reader.js'

type Side = { readonly api: Api; readonly xml?: Xml }

/** The bodies of a document that are XML, which no generated code reads or writes. */
export type Xml = {
  /** By method and path, as `get /trams`. */
  readonly bodies: ReadonlyMap<string, readonly Body[]>
  readonly reader: Reader
  /** The XML that each schema states, by its key. */
  readonly schemas: ReadonlyMap<string, readonly string[]>
}

type Body = {
  readonly direction: 'request' | 'response'
  /** `the response 200`. */
  readonly title: string
  readonly schema: LocatedValue
}

/** Undefined if no operation has a body of XML. */
export function readXml(document: Document): Xml | undefined {
  const reader = createReader(document)
  const root = { value: document.root, pointer: '' }
  const list = (
    owner: LocatedValue,
    direction: Body['direction'],
    title: string,
  ): readonly Body[] =>
    listMembers(reader, owner, 'content')
      .filter(([mediaType]) => /[/+]xml\b/i.test(mediaType))
      .map(([, media]) => ({ direction, title, schema: reader.follow(media, 'schema') }))
  const bodies = readOperations(document, reader, (operation) => [
    ...list(reader.follow(operation, 'requestBody'), 'request', 'the body'),
    ...listMembers(reader, operation, 'responses').flatMap(([status, response]) =>
      list(response, 'response', `the response ${status}`),
    ),
  ])
  if (bodies.size === 0) return undefined
  const schemas = listMembers(reader, reader.follow(root, 'components'), 'schemas')
  return {
    bodies,
    reader,
    schemas: new Map(schemas.map(([key, { value }]) => [key, listXmlFacts(value)])),
  }
}

/** Reports how the XML of schemas changed, for operations that both versions have. */
export function compareXml(base: Side, head: Side, changes: ChangeList): void {
  const [before, after] = [base.xml, head.xml]
  if (before === undefined || after === undefined) return
  const known = new Map(base.api.operations.map((operation) => [operation.id, operation]))
  for (const { id, method, path } of head.api.operations) {
    const former = known.get(id)
    if (former === undefined) continue
    const bodies = before.bodies.get(`${former.method} ${former.path}`) ?? []
    for (const { direction, title, schema } of after.bodies.get(`${method} ${path}`) ?? []) {
      const from = bodies.find((one) => one.direction === direction && one.title === title)
      if (from === undefined) continue
      comparePlaces(from.schema, schema, undefined, {
        readers: [before.reader, after.reader],
        changes,
        direction,
        operation: id,
        place: `${id}: ${title}`,
        subject: { kind: 'operation', name: id },
      })
    }
  }
}

type Setting = {
  readonly readers: readonly [base: Reader, head: Reader]
  readonly changes: ChangeList
  readonly direction: Body['direction']
  readonly operation: string
  readonly place: string
  readonly subject: Subject
}

/** `name`: that of the property, which is the name of its element. */
function comparePlaces(
  base: LocatedValue,
  head: LocatedValue,
  name: string | undefined,
  outer: Setting,
): void {
  const { changes, direction, operation, readers } = outer
  if (!isObject(base.value) || !isObject(head.value)) return
  const named = readComponentName(head)
  const setting: Setting =
    named === undefined
      ? outer
      : { ...outer, place: named, subject: { kind: 'schema', name: named } }
  const key = [`xml ${direction} ${name ?? ''}`, base.value, head.value]
  // a reference from a property has another element each time
  compareForm(base, head, name, name === undefined ? setting : outer)
  changes.compareOnce(key, operation, () => {
    const [before, after] = [listProperties(readers[0], base), listProperties(readers[1], head)]
    for (const [property, found] of after) {
      const from = before.get(property)
      if (from === undefined) continue
      const place = `${setting.place}.${property}`
      comparePlaces(from, found, property, { ...setting, place })
    }
    const [one, other] = [readers[0].follow(base, 'items'), readers[1].follow(head, 'items')]
    comparePlaces(one, other, name, { ...setting, place: `${setting.place}[]` })
    return false
  })
}

function compareForm(
  base: LocatedValue,
  head: LocatedValue,
  name: string | undefined,
  { readers, changes, direction, operation, place, subject }: Setting,
): void {
  const [facts, others] = [readFacts(readers[0], base), readFacts(readers[1], head)]
  // the name of a component is that of its element, and no change alone
  const isNamed = facts['name'] !== undefined || others['name'] !== undefined
  const [from, to] = [
    describeForm(facts, base, name ?? (isNamed ? readComponentName(base) : undefined)),
    describeForm(others, head, name ?? (isNamed ? readComponentName(head) : undefined)),
  ]
  if (from === to) return
  changes.note(
    `${direction}-xml-changed`,
    `${place} was ${from} of XML and is ${to} now`,
    { side: 'head', origin: readers[1].origin(head.pointer) },
    { direction, subject, operation, from, to },
  )
}

function readFacts(reader: Reader, found: LocatedValue): JsonObject {
  const parts = [found, ...listParts(reader, found, 'allOf')]
  const [own] = parts
    .flatMap(({ references = [], value }) => [...references, value])
    .flatMap((value) => (isObject(value) && isObject(value['xml']) ? [value['xml']] : []))
  return own ?? {}
}

/** What a value is in XML, as `the attribute id`. */
function describeForm(facts: JsonObject, { value }: LocatedValue, standard = 'it'): string {
  const { name, prefix, namespace } = facts
  const isList = isObject(value) && value['type'] === 'array'
  const whole = `${typeof prefix === 'string' ? `${prefix}:` : ''}${typeof name === 'string' ? name : standard}`
  const space = typeof namespace === 'string' ? ` of ${namespace}` : ''
  return `the ${readNodeType(facts, isList)} ${whole}${space}`
}

function readNodeType({ nodeType, attribute, wrapped }: JsonObject, isList: boolean): string {
  const type = typeof nodeType === 'string' ? nodeType : attribute === true ? 'attribute' : ''
  if (!isList) return type === '' ? 'element' : type
  return type === 'element' || wrapped === true ? 'wrapped element' : 'unwrapped element'
}

/** The properties of a schema and of the parts that it consists of. */
function listProperties(
  reader: Reader,
  schema: LocatedValue,
  seen: Set<Json> = new Set(),
): ReadonlyMap<string, LocatedValue> {
  if (seen.has(schema.value)) return new Map()
  seen.add(schema.value)
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => listParts(reader, schema, key))
  return new Map([
    ...parts.flatMap((part) => [...listProperties(reader, part, seen)]),
    ...listMembers(reader, schema, 'properties'),
  ])
}

function listParts(
  reader: Reader,
  { value, pointer }: LocatedValue,
  key: string,
): readonly LocatedValue[] {
  const parts = isObject(value) ? value[key] : undefined
  return Array.isArray(parts)
    ? reader
        .entries(`${pointer}/${key}`, Object.fromEntries(parts.entries()))
        .map(([, part]) => part)
    : []
}

function readComponentName({ pointer }: LocatedValue): string | undefined {
  const [, section, name, ...rest] = parsePointer(pointer)
  return section === 'schemas' && rest.length === 0 ? name : undefined
}

/** The XML that a body states itself. */
export function listBodyFacts({ schema }: Body): readonly string[] {
  return readComponentName(schema) === undefined ? listXmlFacts(schema.value) : []
}

/** The XML that a schema states itself, without references. */
function listXmlFacts(schema: Json, path = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'xml' ? [`${path} ${JSON.stringify(value)}`] : listXmlFacts(value, `${path}/${key}`),
  )
}
