import { block, code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { isForm, isSerializedForm, printStreamReader, findBodyKind } from '../../emit/content.js'
import { printData, literal, property, propertyKey } from '../../emit/literal.js'
import { createLookup, resolveRef } from '../../emit/schemas.js'
import {
  sentMethod,
  type Api,
  type Content,
  type Operation,
  type Parameter,
  type Response,
} from '../../ir/api.js'
import { omitUndefined, match, type Cases, type Json, type Schema } from '../../ir/schema.js'

/** The facts of all operations, and the shapes of the schemas that they name. */
export function printFacts(api: Api): readonly Code[] {
  const used: Json[] = []
  const shapeText = (schema: Schema): Code => {
    const expression = toShape(schema)
    used.push(expression)
    return printData(expression)
  }
  const each = api.operations.map(
    (operation) => code`operation(${printOperation(api, operation, shapeText)})`,
  )
  const named = [...collectShapes(api, used)].map(([name, value]) => property(name, value))
  const type = symbol('OperationFacts', './operation-facts.js', { typeOnly: true })
  const typed = code`/** Types each alone: the compiler would compare every two literals of an array. */
const operation = (facts: ${type}): ${type} => facts`
  return [
    ...(each.length === 0 ? [] : [typed]),
    code`/** Every operation, in the order of the document. */
export const operations: readonly ${type}[] = ${block(each, '[]')}`,
    code`/** How texts are read as values of named schemas. */
export const shapes: ${symbol('Shapes', './shape.js', { typeOnly: true })} = ${block(named, '{}')}`,
  ]
}

type ShapeText = (schema: Schema) => Code

const validators = namespace('validators', '#zod/operations')
const importFrom = (file: string) => (name: string) => symbol(name, `./${file}.js`)
const inputPlaces = {
  path: 'path',
  query: 'query',
  querystring: 'querystring',
  header: 'headers',
  cookie: 'cookies',
} as const

function printOperation(api: Api, operation: Operation, shapeText: ShapeText): Code {
  const { id, method, path, tags, security, idempotent, parameters, body, responses } = operation
  const own = parameters.filter(({ credential }) => !credential)
  const places = [...new Set(own.map(({ in: place }) => place))]
  const valid = places.map((place) => {
    const media =
      place === 'querystring'
        ? code`[${literal(own.find((one) => one.in === place)?.mediaType ?? '')}]`
        : code``
    return code`${inputPlaces[place]}: ${validators}.${id}.${inputPlaces[place]}${media}`
  })
  const contents = (body?.contents ?? []).map((content) =>
    printContent(api, operation, content, shapeText),
  )
  return code`{
  id: ${literal(id)},
  method: ${literal(sentMethod(method))},
  path: ${literal(path)},
  tags: ${literal(tags)},
  security: ${literal(security)},
  idempotent: ${String(idempotent)},
  parameters: ${block(
    own.map((parameter) => printParameter(parameter, shapeText)),
    '[]',
  )},
  valid: { ${join(valid, ', ')} },${
    body &&
    code`
  body: {
    required: ${String(body.required)},
    contents: ${block(contents, '[]')},
  },`
  }
  responses: ${block(
    responses.map(
      (response) => code`${propertyKey(String(response.status))}: ${printResponse(api, response)}`,
    ),
    '{}',
  )},
}`
}

function printParameter(
  { name, in: place, style, explode, required, allowEmptyValue, mediaType, schema }: Parameter,
  shapeText: ShapeText,
): Code {
  const media = mediaType === undefined ? undefined : code`mediaType: ${literal(mediaType)}`
  const parts = [
    code`name: ${literal(name)}`,
    code`in: ${literal(inputPlaces[place])}`,
    code`style: ${literal(style)}`,
    code`explode: ${String(explode)}`,
    ...(place === 'querystring' && required ? [code`required: true`] : []),
    ...(allowEmptyValue === true ? [code`allowEmptyValue: true`] : []),
    ...(media === undefined ? [] : [media]),
    code`shape: ${shapeText(schema)}`,
  ]
  return code`{ ${join(parts, ', ')} }`
}

function printContent(api: Api, { id }: Operation, content: Content, shapeText: ShapeText): Code {
  const { mediaType, schema, encoding } = content
  const kind =
    isForm(mediaType) && findBodyKind(content, api) !== 'json' && !isSerializedForm(api, content)
      ? 'form'
      : findBodyKind(content, api)
  const isText = content.stream === undefined && kind === 'text'
  const isOpaque = isText && !isScalar(resolveRef(api, schema))
  const read =
    content.stream === undefined
      ? printReader(mediaType, kind)
      : code`${importFrom('read-body')('createItemsReader')}(${printStreamReader(content.stream, importFrom)})`
  const parts = [
    code`type: ${literal(mediaType)}`,
    code`read: ${read}`,
    ...(kind === 'form' || (isText && !isOpaque) ? [code`shape: ${shapeText(schema)}`] : []),
    ...(Object.keys(encoding).length === 0
      ? []
      : [code`encoding: ${literal(toEncodingFacts(encoding))}`]),
    ...(isOpaque ? [] : [code`valid: ${validators}.${id}.body[${literal(mediaType)}]`]),
  ]
  return code`{ ${join(parts, ', ')} }`
}

function printReader(mediaType: string, kind: 'json' | 'text' | 'binary' | 'form'): Code {
  if (kind === 'form' && /^multipart/i.test(mediaType))
    return importFrom('read-multipart')('readMultipart')
  const name = { json: 'readJson', text: 'readString', binary: 'readBytes', form: 'readForm' }[kind]
  return importFrom('read-body')(name)
}

function toEncodingFacts(encoding: Content['encoding']): Json {
  return Object.fromEntries(
    Object.entries(encoding).map(([name, { contentType, style, explode }]) => [
      name,
      {
        ...(contentType !== undefined && { contentType }),
        ...(style !== undefined && { style }),
        ...(explode !== undefined && { explode }),
      },
    ]),
  )
}

function printResponse(api: Api, { contents }: Response): Code {
  const each = contents.map(
    (content) =>
      code`{ type: ${literal(content.mediaType)}, write: ${printWriter(api, content)}${content.stream?.kind === 'parts' && ', hasParts: true'} }`,
  )
  return code`[${join(each, ', ')}]`
}

function printWriter(api: Api, content: Content): Code {
  const { stream } = content
  const write = importFrom(stream === undefined ? 'write-response' : 'write-items')
  if (stream === undefined)
    return write(
      { json: 'writeJson', text: 'writeText', binary: 'writeBytes' }[findBodyKind(content, api)],
    )
  if (stream.kind === 'parts')
    return code`${write('createPartsWriter')}(${literal(omitUndefined({ prefix: stream.prefix, rest: stream.rest }))})`
  if (stream.kind !== 'events')
    return write(stream.kind === 'lines' ? 'writeLines' : 'writeSequence')
  return code`${write('createEventsWriter')}(${literal(stream.data)}, ${literal(stream.except)})`
}

/** Whether a string is a value of the schema itself, not its encoding as in XML. */
export function isScalar({ kind }: Schema): boolean {
  return kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'enum'
}

/** The kinds of values of a schema, which determine how a string is parsed. */
function toShape(schema: Schema): Json {
  const choice = (of: readonly Schema[]): Json => ({ kind: 'choice', of: of.map(toShape) })
  const any = (): Json => ({ kind: 'any' })
  const cases: Cases<Json> = {
    any,
    never: any,
    null: any,
    not: any,
    boolean: () => ({ kind: 'boolean' }),
    number: () => ({ kind: 'number' }),
    string: () => ({ kind: 'text' }),
    binary: () => ({ kind: 'file' }),
    enum: ({ values }) => ({ kind: 'values', values }),
    array: ({ prefix, items }) => ({
      kind: 'list',
      ...(prefix.length > 0 && { prefix: prefix.map(toShape) }),
      items: toShape(items),
    }),
    object: ({ properties, patterns, additional }) => {
      const rest = [
        ...patterns.map((pattern) => pattern.schema),
        ...(additional.kind === 'never' ? [] : [additional]),
      ]
      const fields = Object.fromEntries(
        properties.map(({ name, schema: field }) => [name, toShape(field)]),
      )
      return {
        kind: 'record',
        fields,
        ...(rest.length > 0 && {
          rest: rest.length === 1 && rest[0] ? toShape(rest[0]) : choice(rest),
        }),
      }
    },
    union: ({ options }) => choice(options),
    oneOf: ({ options }) => choice(options),
    intersection: ({ parts }) => choice(parts),
    conditional: ({ then, otherwise }) => choice([then, otherwise]),
    unevaluated: ({ base }) => toShape(base),
    ref: ({ name }) => ({ kind: 'ref', name }),
  }
  return match(schema, cases)
}

/** The shapes of all schemas that these refer to, each once. */
function collectShapes(api: Api, roots: readonly Json[]): ReadonlyMap<string, Json> {
  const lookup = createLookup(api)
  const found = new Map<string, Json>()
  const waiting = roots.flatMap(listNames)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const expression = toShape(lookup(name))
    found.set(name, expression)
    waiting.push(...listNames(expression))
  }
  return found
}

function listNames(value: Json): string[] {
  if (value === null || typeof value !== 'object') return []
  const { kind, name } = value as { readonly kind?: Json; readonly name?: Json }
  if (kind === 'values') return []
  if (kind === 'ref' && typeof name === 'string') return [name]
  return Object.values(value).flatMap(listNames)
}
