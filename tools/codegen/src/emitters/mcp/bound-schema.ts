/** A JSON Schema as data. */
export type SchemaData = { readonly [keyword: string]: unknown }

/** The most characters of an input as JSON: about 2,000 tokens. */
export const inputLimit = 8000
/** The most characters of an output, which few hosts show to a model. */
export const outputLimit = 5000

export type SchemaBound = {
  /** The most characters of the schema as JSON. */
  readonly limit: number
  /** The tool that returns a schema by its pointer. */
  readonly tool: string
  /** The pointer of the schema, for that tool. */
  readonly pointer: string
}

/** How much of a schema is kept: levels below its root, and characters of each description. */
type Detail = { readonly levels: number; readonly text: number }

const details: readonly Detail[] = [
  { levels: 8, text: 300 },
  { levels: 5, text: 200 },
  { levels: 4, text: 160 },
  { levels: 3, text: 160 },
  { levels: 2, text: 120 },
  { levels: 1, text: 120 },
  { levels: 1, text: 0 },
]

/**
 * The schema with the definitions that it needs, within the limit. Schemas below some level are
 * replaced by their type and the call that returns them. The result accepts every value that the
 * given schema accepts.
 */
export function boundSchema(
  schema: SchemaData,
  definitions: SchemaData,
  bound: SchemaBound,
): { readonly isWhole: boolean; readonly schema: SchemaData } {
  const found = reachableDefinitions(schema, definitions, bound.limit)
  if (found !== undefined) return { isWhole: true, schema: joinDefinitions(schema, found) }
  for (const detail of details) {
    const reduced = reduceTo(detail, schema, definitions, bound)
    if (reduced !== undefined) return { isWhole: false, schema: reduced }
  }
  return { isWhole: false, schema: listNames(schema, bound) }
}

function fits(schema: SchemaData, { limit }: SchemaBound): boolean {
  return JSON.stringify(schema).length <= limit
}

function joinDefinitions(schema: SchemaData, found: ReadonlyMap<string, SchemaData>): SchemaData {
  const entries = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(entries) }
}

/** The definitions that a schema needs. Undefined if they go beyond the limit. */
function reachableDefinitions(
  schema: SchemaData,
  definitions: SchemaData,
  limit: number,
): ReadonlyMap<string, SchemaData> | undefined {
  const found = new Map<string, SchemaData>()
  const pending = [schema]
  let size = 0
  for (let node = pending.pop(); node !== undefined && size <= limit; node = pending.pop()) {
    const { length, references } = measure(node)
    size += length
    for (const name of references) {
      const target = definitions[name]
      if (!isSchema(target) || found.has(name)) continue
      found.set(name, target)
      size += JSON.stringify(name).length + 1
      pending.push(target)
    }
  }
  return size + (found.size > 0 ? 10 : 0) + found.size <= limit ? found : undefined
}

type Measure = { readonly length: number; readonly references: readonly string[] }

/** Definitions are shared by many tools, and measured once. */
const measures = new WeakMap<SchemaData, Measure>()

function measure(schema: SchemaData): Measure {
  const known = measures.get(schema)
  if (known !== undefined) return known
  const references = new Set<string>()
  const visit = (node: SchemaData): void => {
    const name = referencedName(node)
    if (name !== undefined) references.add(name)
    for (const [, inner] of subschemas(node)) visit(inner)
  }
  visit(schema)
  const fresh = { length: JSON.stringify(schema).length, references: [...references] }
  measures.set(schema, fresh)
  return fresh
}

/** The schema with fewer details. Undefined if it is still beyond the limit. */
function reduceTo(
  detail: Detail,
  schema: SchemaData,
  definitions: SchemaData,
  bound: SchemaBound,
): SchemaData | undefined {
  const found = new Map<string, SchemaData>()
  let level = 0
  let next = new Set<string>()
  let size = 0
  const reduce = (node: SchemaData, pointer: string, depth: number): SchemaData => {
    if (size > bound.limit) return {}
    const name = referencedName(node)
    if (name !== undefined) next.add(name)
    const inner = subschemas(node)
    const kept =
      inner.length > 0 && depth >= detail.levels
        ? stub(node, pointer, bound)
        : Object.fromEntries(
            Object.entries(node).flatMap(([keyword, value]) =>
              isDropped(keyword) ? [] : shorten(keyword, value, detail, pointer, bound),
            ),
          )
    size += JSON.stringify(kept).length
    if (depth >= detail.levels) return kept
    const reduced: Record<string, unknown> = { ...kept }
    for (const [path, one] of inner) {
      const [keyword = '', key] = path
      if (isDropped(keyword)) continue
      const smaller = reduce(one, [pointer, ...path.map(escapeToken)].join('/'), depth + 1)
      // a shortened option may accept what another accepts, too
      const target = keyword === 'oneOf' ? 'anyOf' : keyword
      if (key === undefined) reduced[target] = smaller
      else if (isList(node[keyword]))
        reduced[target] = [...(isList(reduced[target]) ? reduced[target] : []), smaller]
      else reduced[target] = members(reduced[target]).set(key, smaller)
    }
    for (const [keyword, value] of Object.entries(reduced))
      if (value instanceof Map) reduced[keyword] = Object.fromEntries(value)
    return reduced
  }
  const root = reduce(schema, bound.pointer, 0)
  while (next.size > 0 && size <= bound.limit) {
    const names = [...next].filter((name) => !found.has(name))
    next = new Set()
    level += 1
    for (const name of names) {
      const target = definitions[name]
      if (isSchema(target)) found.set(name, reduce(target, `/$defs/${escapeToken(name)}`, level))
    }
  }
  const joined = joinDefinitions(root, found)
  return size <= bound.limit && fits(joined, bound) ? joined : undefined
}

function members(known: unknown): Map<string, SchemaData> {
  return known instanceof Map ? (known as Map<string, SchemaData>) : new Map()
}

/** Keywords whose meaning a shortened schema beside them would change. */
function isDropped(keyword: string): boolean {
  return /^(?:not|if|then|else|unevaluated\w+|dependentSchemas|maxContains|propertyNames|examples|default|\$defs)$/.test(
    keyword,
  )
}

function shorten(
  keyword: string,
  value: unknown,
  { text }: Detail,
  pointer: string,
  bound: SchemaBound,
): [string, unknown][] {
  if (subschemaKeywords.has(keyword)) return typeof value === 'boolean' ? [[keyword, value]] : []
  if (keyword === 'description' || keyword === 'title')
    return text === 0 ? [] : [[keyword, shortenText(String(value), text)]]
  if (keyword !== 'enum' || !isList(value) || JSON.stringify(value).length <= 800)
    return [[keyword, value]]
  const samples = value.slice(0, 3).map((one) => shortenText(JSON.stringify(one), 60))
  const list = `One of ${value.length} values, such as ${samples.join(', ')}. ${hint(pointer, bound)}`
  return [['description', list]]
}

/** At most this many characters, with an ellipsis in place of the rest. */
export function shortenText(text: string, limit: number): string {
  if (text.length <= limit) return text
  // no half of a surrogate pair
  const kept = text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}

/** What stands for a schema that is left out. */
function stub(node: SchemaData, pointer: string, bound: SchemaBound): SchemaData {
  const { type } = node
  return { ...(type !== undefined && { type }), description: hint(pointer, bound) }
}

function hint(pointer: string, { tool }: SchemaBound): string {
  return `Call ${tool} with ${JSON.stringify(pointer)} for its schema.`
}

/** The names of the properties, required ones first, as far as the limit allows. */
function listNames(schema: SchemaData, bound: SchemaBound): SchemaData {
  const { type, properties, required } = schema
  const all = isSchema(properties) ? Object.keys(properties) : []
  const needed = isList(required) ? required.map(String) : []
  const names = [...new Set([...needed, ...all])]
  const outline = (count: number): SchemaData => ({
    ...(type !== undefined && { type }),
    description: hint(bound.pointer, bound),
    properties: Object.fromEntries(names.slice(0, count).map((name) => [name, {}])),
    ...(needed.length > 0 && count >= needed.length && { required: needed }),
  })
  let count = names.length
  while (count > 0 && !fits(outline(count), bound)) count = Math.floor(count / 2)
  return outline(count)
}

const mapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const subschemaKeywords = new Set([
  ...mapKeywords,
  ...'prefixItems allOf anyOf oneOf'.split(' '),
  ...'items contains additionalProperties propertyNames not if then else'.split(' '),
  ...'unevaluatedProperties unevaluatedItems'.split(' '),
])

type Subschema = readonly [path: readonly string[], schema: SchemaData]

/** The direct subschemas of a schema, by their paths. */
function subschemas(node: SchemaData): readonly Subschema[] {
  return Object.entries(node).flatMap(([keyword, value]): readonly Subschema[] => {
    if (!subschemaKeywords.has(keyword)) return []
    if (isList(value) || mapKeywords.has(keyword))
      return Object.entries(value as object).flatMap(([key, one]): readonly Subschema[] =>
        isSchema(one) ? [[[keyword, key], one]] : [],
      )
    return isSchema(value) ? [[[keyword], value]] : []
  })
}

/** The name of the definition that a schema refers to. */
export function referencedName({ $ref }: SchemaData): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith('#/$defs/')
    ? decodeURIComponent($ref.slice('#/$defs/'.length))
    : undefined
}

export function isSchema(value: unknown): value is SchemaData {
  return typeof value === 'object' && value !== null && !isList(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}
