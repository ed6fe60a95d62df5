import { block, code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { docComment, literal, propertyKey } from '../../emit/literal.js'
import { isJson } from '../../emit/content.js'
import { oncePer, resolveRef } from '../../emit/schemas.js'
import { createSharing } from '../../emit/constants.js'
import { typeText, type TypeContext } from '../../emit/type-text.js'
import { readConversion } from '../../emit/values/converted.js'
import type { Api, Operation, Response } from '../../ir/api.js'
import { toHeaderField, uniqueNames } from '../../ir/names.js'
import type { Schema } from '../../ir/schema.js'
import { printConverter, printJsonReviver, createValueModules } from './values.js'

type Header = Response['headers'][number]

const types = namespace('types', '#types', { typeOnly: true })
const context: TypeContext = { named: (name) => code`${types}.${name}`, binary: code`string` }

/** Whether a result of an operation has headers. */
export function hasHeaders({ responses }: Operation): boolean {
  return responses.some(({ headers }) => headers.length > 0)
}

/** The headers of each operation that declares some: how each is read, by status. */
export function printResponseHeaders(api: Api): Iterable<Code> {
  const { mark, statements } = createSharing()
  const list = importRuntime('HeaderFacts', true)
  const all = api.operations.filter(hasHeaders).map(({ id, responses }) => {
    const entries = responses.map(({ status, headers }) => {
      const facts = listFields(headers).map(
        ([field, header]) =>
          code`[${join([literal(field), literal(header.name), printReader(api, header)], ', ')}]`,
      )
      const written = block(facts, '[]')
      const value =
        facts.length === 0 ? written : mark(written, code`readonly ${list}[]`, 'headers')
      return code`${propertyKey(String(status))}: ${value}`
    })
    return {
      name: id,
      value: block(entries, '{}'),
      declare: (value: Code) =>
        code`export const ${id}: ${importRuntime('HeadersByStatus', true)} = ${value}`,
    }
  })
  return statements(all, {
    declare: (name, value, type) => code`const ${name}: ${type} = ${value}`,
  })
}

/** The type of the headers of a response. */
export function printHeadersType(api: Api, headers: Response['headers']): Code {
  const fields = listFields(headers).map(
    ([field, header]) =>
      code`${docComment([header.description], '  ')}  readonly ${propertyKey(field)}${header.required ? '' : '?'}: ${printHeaderType(api, header)}`,
  )
  return code`{\n${join(fields, '\n')}\n}`
}

/** The fields of headers. One whose name in camelCase is taken keeps its own. */
function listFields(
  headers: Response['headers'],
): readonly (readonly [field: string, header: Header])[] {
  const known = new Map<string, Header>()
  for (const header of headers) {
    const field = toHeaderField(header.name)
    const name = header.name.toLowerCase()
    if (![...known.values()].some((other) => other.name.toLowerCase() === name))
      known.set(known.has(field) ? name : field, header)
  }
  return [...known]
}

const importRuntime = (name: string, typeOnly = false): Code =>
  symbol(name, './response-headers.js', { typeOnly })

function printReader(api: Api, { name, schema, mediaType }: Header): Code {
  if (mediaType !== undefined)
    return isJson(mediaType) ? printJsonReader(api, schema) : importRuntime('readHeader')
  const node = resolveRef(api, schema)
  if (node.kind !== 'array') return printScalarReader(api, schema)
  const read = name.toLowerCase() === 'set-cookie' ? 'readCookies' : 'readList'
  return code`/* @__PURE__ */ ${importRuntime(read)}(${printScalarReader(api, node.items)})`
}

/** Modules by names that no operation has. */
const createModules = oncePer(({ operations }: Api) => {
  const unique = uniqueNames(operations.map(({ id }) => id))
  return { values: createValueModules(unique), named: namespace(unique('revivers'), './values.js') }
}, new WeakMap())

function printJsonReader(api: Api, schema: Schema): Code {
  const { values, named } = createModules(api)
  const revive = printJsonReviver(api, schema, values, (name) => code`${named}.${name}`)
  const read = importRuntime('readJsonHeader')
  return revive === undefined
    ? read
    : code`/* @__PURE__ */ ${values.revive}.readRevivedHeader(${read}, ${revive})`
}

function printHeaderType(api: Api, { schema, mediaType }: Header): Code {
  if (mediaType !== undefined) return isJson(mediaType) ? typeText(schema, context) : code`string`
  const node = resolveRef(api, schema)
  if (node.kind !== 'array') return printScalarType(api, schema)
  return code`readonly (${printScalarType(api, node.items)})[]`
}

/** A header with several kinds of scalars stays a string. */
function printScalarType(api: Api, schema: Schema): Code {
  const [kind, ...others] = listKinds(api, schema)
  return kind === undefined || kind === 'object' || others.length > 0
    ? code`string`
    : typeText(schema, context)
}

function printScalarReader(api: Api, schema: Schema): Code {
  const as = readConversion(resolveRef(api, schema))
  if (as !== undefined) return printConverter(as, createModules(api).values, 'read')
  const [kind, ...others] = listKinds(api, schema)
  if (others.length > 0) return importRuntime('readHeader')
  return importRuntime(
    kind === 'number' ? 'readNumber' : kind === 'boolean' ? 'readBoolean' : 'readHeader',
  )
}

/** The kinds of the scalar values of a schema, as JavaScript has them. */
function listKinds(api: Api, schema: Schema): ReadonlySet<string> {
  const node = resolveRef(api, schema)
  if (node.kind === 'enum') return new Set(node.values.map((value) => typeof value))
  if (node.kind === 'number' || node.kind === 'boolean' || node.kind === 'string')
    return new Set([node.kind])
  return new Set()
}
