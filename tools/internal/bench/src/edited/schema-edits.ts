import type { Choose, Node } from './edits.js'

/** Edits some schemas of a document, each in one way. Returns what was edited. */
export function editSchemas(document: Node, choose: Choose): readonly string[] {
  const schemas = listSchemas(document)
  const names = Object.keys((document['components']?.schemas ?? {}) as Node)
  return list(choose(createRange(3, 12)) ?? 0).flatMap(() => {
    const schema = choose(schemas)
    const edits = schema && Object.entries(listEdits(schema))
    const [name, edit] = (edits && choose(edits)) ?? []
    if (schema === undefined || edit === undefined || !edit(schema, choose, names)) return []
    return [`${name}: ${JSON.stringify(schema).slice(0, 80)}`]
  })
}

/** What holds values of its own, and is no schema. */
const values = new Set(['example', 'examples', 'default', 'enum', 'const'])

/** Every schema that states a type, members or options. */
function listSchemas({ components, paths }: Node): readonly Node[] {
  const nodes: Node[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, properties, allOf, oneOf, anyOf } = node as Node
    if (typeof type === 'string' || [properties, allOf, oneOf, anyOf].some(isObject))
      nodes.push(node)
    for (const [key, value] of Object.entries(node)) if (!values.has(key)) visit(value)
  }
  visit(components?.schemas)
  visit(paths)
  return nodes
}

/** False if the schema has no place for the edit. */
type Edit = (schema: Node, choose: Choose, names: readonly string[]) => boolean

function listEdits(schema: Node): Readonly<Record<string, Edit>> {
  if (schema['type'] === 'string') return strings
  if (schema['type'] === 'integer' || schema['type'] === 'number') return numbers
  if (schema['type'] === 'array') return arrays
  if (isObject(schema['properties'])) return objects
  return [schema['oneOf'], schema['anyOf'], schema['allOf']].some(Array.isArray) ? choices : {}
}

/** Sets a keyword to one of some values. */
const set =
  (keyword: string, choices: readonly unknown[]): Edit =>
  (schema, choose) => {
    schema[keyword] = choose(choices)
    return true
  }

const strings: Readonly<Record<string, Edit>> = {
  pattern: set('pattern', [
    '^[a-z]+$',
    '^.{1,256}$',
    '^(?=.*[A-Z])(?=.*\\d).{8,64}$',
    '^(?!aws:)[\\w:-]{3,40}$',
    '[\\w.+-]+@[\\w-]+\\.[\\w.]+',
    '^(a|b|ab)*c{2,40}$',
    '^[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*$',
    '^arn:[^:]*:[^:]*:[^:]*:[^:]*:.*$',
    '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==)?$',
    '^((25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(25[0-5]|2[0-4]\\d|1?\\d?\\d)$',
  ]),
  maxLength: set('maxLength', createRange(0, 200)),
  minLength: set('minLength', createRange(0, 60)),
  format: set('format', ['date', 'date-time', 'uuid', 'email', 'uri', 'ipv4', 'byte']),
  enum: set('enum', [['a', 'b', 'c'], ['b', 'c'], ['c']]),
  nullable: set('nullable', [true, false]),
  type: set('type', ['integer', 'boolean', 'number']),
}

const numbers: Readonly<Record<string, Edit>> = {
  minimum: set('minimum', createRange(1, 50)),
  maximum: set('maximum', createRange(1, 50)),
  multipleOf: set('multipleOf', createRange(1, 50)),
}

const arrays: Readonly<Record<string, Edit>> = {
  minItems: set('minItems', createRange(0, 6)),
  maxItems: set('maxItems', createRange(0, 6)),
  uniqueItems: set('uniqueItems', [true, false]),
}

/** Changes a member of an object that `choose` selects. */
const atMember =
  (
    change: (properties: Node, name: string, choose: Choose, names: readonly string[]) => boolean,
  ): Edit =>
  ({ properties }, choose, names) => {
    const name = choose(Object.keys(properties as Node))
    return name !== undefined && change(properties as Node, name, choose, names)
  }

const toReference = (name: string): Node => ({ $ref: `#/components/schemas/${name}` })

const objects: Readonly<Record<string, Edit>> = {
  'a member is gone': atMember((properties, name) => delete properties[name]),
  'a member is required or optional': (schema, choose) => {
    const name = choose(Object.keys(schema['properties'] as Node))
    const required = (Array.isArray(schema['required']) ? schema['required'] : []) as string[]
    const others = required.filter((one) => one !== name)
    const next = others.length < required.length ? others : [...required, name]
    if (next.length > 0) schema['required'] = next
    else delete schema['required']
    return name !== undefined
  },
  'a member may be another schema': atMember((properties, name, choose, names) => {
    const other = choose(names)
    if (other === undefined) return false
    properties[name] = { oneOf: [properties[name], toReference(other)] }
    return true
  }),
  'a member is made of another schema': atMember((properties, _, choose, names) => {
    const other = choose(names)
    if (other === undefined) return false
    properties['addedHere'] = {
      allOf: [toReference(other), { type: 'object', required: ['alsoHere'] }],
    }
    return true
  }),
  additionalProperties: set('additionalProperties', [false, { type: 'string' }]),
}

const choices: Readonly<Record<string, Edit>> = {
  'an option is gone': (schema) => {
    const keyword = findKeyword(schema)
    if (keyword === undefined || schema[keyword].length < 2) return false
    schema[keyword] = schema[keyword].slice(1)
    return true
  },
  'another way to choose': (schema, choose) => {
    const keyword = findKeyword(schema)
    const next = choose(['oneOf', 'anyOf', 'allOf'].filter((one) => one !== keyword))
    if (keyword === undefined || next === undefined || schema[next] !== undefined) return false
    schema[next] = schema[keyword]
    delete schema[keyword]
    return true
  },
}

function findKeyword(schema: Node): string | undefined {
  return ['oneOf', 'anyOf', 'allOf'].find((keyword) => Array.isArray(schema[keyword]))
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function list(length: number): readonly number[] {
  return Array.from({ length }, (_, at) => at)
}

/** The whole numbers from one to another. */
function createRange(from: number, to: number): readonly number[] {
  return list(to - from + 1).map((at) => at + from)
}
