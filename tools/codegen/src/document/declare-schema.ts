import { commentOf } from './declare-comment.js'
import { block, bracketed, intersection, isWord, key, never, plain, quoted, union, unknown } from './declare-text.js'
import type { Printed } from './declare-text.js'
import type { Shorthand, Shorthands } from './declare-shorthand.js'
import { isList, isObject, own, segmentsOf, valueAt } from './json.js'
import type { Json, JsonObject } from './json.js'
import type { Document } from './load.js'
import { mediaKind } from './media.js'

/** Prints what schemas are, in the words of openapi-typescript. */
export type SchemaPrinter = {
  readonly type: (schema: Json | undefined, pad: string) => Printed
  /** `#/components/schemas/Pet` → Schemas["Pet"]. */
  readonly reference: (ref: string) => Printed
  /** The node that a reference names, itself no reference. */
  readonly resolve: (ref: string) => Json | undefined
  /** Whether a type was printed that needs the helper `WithRequired`. */
  readonly usesRequired: () => boolean
}

export function schemaPrinter({ root, version }: Pick<Document, 'root' | 'version'>, shorthands: Shorthands): SchemaPrinter {
  let usesRequired = false
  const resolved = new Map<string, Json | undefined>()
  return { type, reference, resolve, usesRequired: () => usesRequired }

  function reference(ref: string): Printed {
    const [first = 'components', second = '', ...more] = segmentsOf(ref.slice(1))
    const section = first === 'components' ? sections.get(second) : undefined
    const start = section === undefined ? `${first}[${quoted(second)}]` : shorthands.use(section)
    return plain(`${start}${more.map((segment) => `[${quoted(segment)}]`).join('')}`)
  }

  function type(written: Json | undefined, pad: string): Printed {
    if (written === true) return unknown
    if (!isObject(written)) return never
    const schema = prepared(written)
    const ref = own(schema, '$ref')
    if (typeof ref === 'string') return reference(ref)
    if (isBinary(schema)) return own(schema, 'nullable') === true ? union([...bytes, plain('null')]) : union(bytes)
    const constant = own(schema, 'const')
    if (constant !== undefined && constant !== null) return valueType(constant, pad)
    const values = own(schema, 'enum')
    const nullable = own(schema, 'nullable') === true
    if (isList(values) && !isAboutObjects(schema)) {
      const types = values.map((value) => valueType(value, pad))
      const names = own(schema, 'type')
      return union(nullable || (isList(names) && names.includes('null')) ? [...types, plain('null')] : types)
    }
    const whole = composed(schema, pad)
    return nullable && whole !== unknown ? { text: `${bracketed(whole)} | null`, form: 'union' } : whole
  }

  function composed(schema: JsonObject, pad: string): Printed {
    const core = coreType(schema, pad)
    const all = allOf(schema, pad)
    let result = core === undefined ? undefined : core
    if (all.length > 0) result = intersection([...(core === undefined ? [] : [core]), intersection(all)])
    const any = listOf(schema, 'anyOf').map((item) => type(item, pad))
    if (any.length > 0) result = union([...(result === undefined ? [] : [result]), ...any])
    const values = own(schema, 'type') === 'object' ? listOf(schema, 'enum').map((value) => valueType(value, pad)) : []
    const one = isList(own(schema, 'oneOf')) ? listOf(schema, 'oneOf').map((item) => type(item, pad)) : values
    if (one.length > 0) {
      const before = result === undefined ? [] : [result]
      result = one.every(isWord) ? union([...before, ...one]) : intersection([...before, union(one)])
    }
    return result ?? (own(schema, 'type') === undefined ? unknown : plain('Record<string, unknown>'))
  }

  function allOf(schema: JsonObject, pad: string): readonly Printed[] {
    const required = names(own(schema, 'required'))
    return listOf(schema, 'allOf').map((item): Printed => {
      if (!isObject(item)) return item === true ? unknown : plain('Record<string, never>')
      const part = prepared(item)
      const ref = own(part, '$ref')
      if (typeof ref === 'string') {
        const properties = own(resolve(ref), 'properties')
        const known = required.filter((name) => own(properties, name) !== undefined)
        if (known.length === 0) return reference(ref)
        usesRequired = true
        return plain(`WithRequired<${reference(ref).text}, ${known.map(quoted).join(' | ')}>`)
      }
      const inner = type({ ...part, required: [...required, ...names(own(part, 'required'))] }, pad)
      const tag = own(own(part, 'discriminator'), 'propertyName')
      return typeof tag === 'string' ? plain(`Omit<${inner.text}, ${quoted(tag)}>`) : inner
    })
  }

  /** What `type`, `properties` and their like say. */
  function coreType(schema: JsonObject, pad: string): Printed | undefined {
    const name = own(schema, 'type')
    if (name === 'null' || name === 'string' || name === 'number' || name === 'boolean') return plain(name)
    if (name === 'integer') return plain('number')
    if (name === 'array') return arrayType(schema, pad)
    if (isList(name)) {
      const branches = listOf(schema, 'oneOf')
      const said = name.filter((one) => !branches.some((branch) => scalars.has(one) && own(branch, 'type') === one))
      return union(said.map((one) => (one === 'null' ? plain('null') : type(only(schema, one), pad))))
    }
    return objectType(schema, pad)
  }

  function arrayType(schema: JsonObject, pad: string): Printed {
    const items = own(schema, 'items')
    const prefix = own(schema, 'prefixItems') ?? (isList(items) ? items : undefined)
    if (isList(prefix))
      return plain(`[${prefix.map((item) => `\n${pad}  ${type(item, `${pad}  `).text}`).join(',')}${prefix.length > 0 ? `\n${pad}` : ''}]`)
    return plain(`${items === undefined ? 'unknown' : bracketed(items === false ? never : type(items, pad))}[]`)
  }

  function objectType(schema: JsonObject, pad: string): Printed | undefined {
    const inner = `${pad}  `
    const properties = own(schema, 'properties')
    const required = new Set(names(own(schema, 'required')))
    const members = isObject(properties)
      ? Object.entries(properties).map(([name, value]) => {
          const property = isObject(value) ? prepared(value) : value
          const readonly = own(property, 'readOnly') === true ? 'readonly ' : ''
          return `${commentOf(property, inner)}${inner}${readonly}${key(name)}${required.has(name) ? '' : '?'}: ${type(property, inner).text}`
        })
      : []
    const rest: Printed[] = []
    const additional = own(schema, 'additionalProperties')
    if (additional === true) rest.push(unknown)
    else if (isObject(additional)) rest.push(Object.keys(additional).length === 0 ? unknown : type(additional, inner))
    const patterns = own(schema, 'patternProperties')
    if (isObject(patterns)) for (const pattern of Object.values(patterns)) rest.push(type(pattern, inner))
    const object = members.length === 0 ? [] : [plain(block(members, pad))]
    const index = rest.length === 0 ? [] : [plain(block([`${inner}[key: string]: ${union(rest).text}`], pad))]
    return members.length + rest.length === 0 ? undefined : intersection([...object, ...index])
  }

  function resolve(ref: string): Json | undefined {
    if (!resolved.has(ref)) resolved.set(ref, resolveNew(ref))
    return resolved.get(ref)
  }

  function resolveNew(ref: string): Json | undefined {
    let target: Json | undefined = ref
    let node: Json | undefined
    for (let hops = 0; typeof target === 'string' && hops < 50; hops++) {
      node = valueAt(root, target.slice(1))
      if (isObject(node)) node = prepared(node)
      target = own(node, '$ref')
    }
    return typeof target === 'string' ? undefined : node
  }

  /** A reference in 3.0 has no siblings that count; one in 3.1 has, and is then one part of an `allOf`. */
  function prepared(schema: JsonObject): JsonObject {
    const ref = own(schema, '$ref')
    if (typeof ref === 'string') {
      const siblings = Object.entries(schema).filter(([name]) => name !== '$ref')
      if (siblings.length === 0 || (version === '3.1' && siblings.every(([name]) => annotations.has(name)))) return schema
      if (version === '3.1') return { allOf: [{ $ref: ref }, Object.fromEntries(siblings)] }
      return { $ref: ref, ...Object.fromEntries(siblings.filter(([name]) => annotations.has(name))) }
    }
    const values = own(schema, 'enum')
    if (own(schema, 'const') === null) {
      const { const: _, ...rest } = schema
      return { ...rest, enum: [null] }
    }
    if (own(schema, 'nullable') === true && isList(values) && !values.includes(null)) {
      const { nullable: _, ...rest } = schema
      return rest
    }
    return schema
  }
}

const sections: ReadonlyMap<string, Shorthand> = new Map([
  ['schemas', 'Schemas'],
  ['responses', 'Responses'],
  ['parameters', 'Parameters'],
])

/** The schema of a body: bytes and text need none to say so. */
export function mediaSchema(mediaType: string, media: Json): Json | undefined {
  const schema = own(media, 'schema')
  const kind = mediaKind(mediaType)
  const blank =
    schema === undefined ||
    schema === true ||
    (isObject(schema) && Object.keys(schema).every((name) => name === 'description' || name === 'title'))
  const text = own(schema, 'type') === 'string' && own(schema, 'contentEncoding') === undefined && own(schema, 'enum') === undefined
  if (kind === 'binary' && (blank || text)) return { type: 'string', format: 'binary' }
  return kind === 'text' && blank ? { type: 'string' } : schema
}

const bytes = [plain('Blob'), plain('Uint8Array')]

const scalars: ReadonlySet<Json> = new Set(['boolean', 'string', 'number', 'integer', 'null'])

const annotations = new Set(['title', 'description', 'deprecated', 'default', 'example', 'examples', 'readOnly', 'writeOnly', 'summary'])

function isBinary(schema: Json): boolean {
  const mediaType = own(schema, 'contentMediaType')
  const name = own(schema, 'type')
  if (name !== undefined && name !== 'string') return false
  if (own(schema, 'format') === 'binary') return true
  return typeof mediaType === 'string' && own(schema, 'contentEncoding') === undefined && mediaKind(mediaType) === 'binary'
}

function isAboutObjects(schema: Json): boolean {
  return ['properties', 'additionalProperties'].some((name) => own(schema, name) !== undefined) || own(schema, 'type') === 'object'
}

/** A schema of several types, for one of them. Branches of `oneOf` that say what the types say are left to `oneOf`. */
function only(schema: JsonObject, name: Json): JsonObject {
  if (!isList(own(schema, 'oneOf'))) return { ...schema, type: name }
  const { oneOf: _, ...rest } = schema
  return { ...rest, type: name }
}

function valueType(value: Json, pad: string): Printed {
  if (typeof value === 'string') return plain(quoted(value))
  if (isList(value)) return plain(value.length === 0 ? 'never[]' : `[${value.map((item) => valueType(item, pad).text).join(', ')}]`)
  if (!isObject(value)) return plain(String(value))
  const members = Object.entries(value).map(([name, item]) => `${pad}  ${key(name)}: ${valueType(item, `${pad}  `).text}`)
  return plain(members.length === 0 ? 'Record<string, never>' : block(members, pad))
}

function listOf(schema: JsonObject, name: string): readonly Json[] {
  const list = own(schema, name)
  return isList(list) ? list : []
}

function names(list: Json | undefined): readonly string[] {
  return isList(list) ? list.filter((name) => typeof name === 'string') : []
}
