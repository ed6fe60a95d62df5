import type {
  Api,
  BodyContent,
  Content,
  Operation,
  RequestBody,
  Response,
  Stream,
} from '../ir/api.js'
import { listProperties, resolveRef } from './schemas.js'
import { code, join, symbol, type Code } from './code.js'
import { literal } from './literal.js'

export type ContentKind = 'json' | 'text' | 'binary' | 'stream'

/** How a body is read: as parsed JSON, a string, raw bytes, or item by item. */
export function contentKind(content: Content, api?: Api): ContentKind {
  return content.stream === undefined ? findBodyKind(content, api) : 'stream'
}

/**
 * The same for a body that is not a stream. With a wildcard media type, any value other than a
 * string is JSON.
 */
export function findBodyKind(
  { mediaType, schema }: Content,
  api?: Api,
): Exclude<ContentKind, 'stream'> {
  const { kind } = api === undefined ? schema : resolveRef(api, schema)
  if (kind === 'binary') return 'binary'
  return isJson(mediaType) || (mediaType.includes('*') && kind !== 'string') ? 'json' : 'text'
}

/** Whether a media type is JSON, including structured suffixes (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^(?:[^;]*[/+])?json\s*(?:;|$)/i.test(mediaType)
}

export type BodyShape = Pick<BodyContent, 'flatten' | 'fields' | 'nested'>

const whole: BodyShape = { flatten: 'body', fields: [], nested: [] }

/**
 * How a body is part of the flat input: by field if the client can write it from fields, otherwise as
 * a whole. Default: for its first media type.
 */
export function findBodyShape(
  api: Api,
  { contents: [first] }: RequestBody,
  content: BodyContent | undefined = first,
): BodyShape {
  return content !== undefined &&
    (contentKind(content, api) === 'json' || isForm(content.mediaType))
    ? content
    : whole
}

/** Whether a media type consists of fields. */
export function isForm(mediaType: string): boolean {
  return /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i.test(mediaType)
}

/** Whether a body is a form that its caller has written: `schema` is no object, but a string. */
export function isSerializedForm(api: Api, { mediaType, schema }: Content): boolean {
  return (
    /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(mediaType) &&
    isText(resolveRef(api, schema).kind)
  )
}

/**
 * What a response of plain text is, if its schema has numbers, booleans or listed strings only.
 */
export function findTextScalar(
  api: Api,
  content: Content,
): 'number' | 'boolean' | 'string' | undefined {
  if (!/^text\/plain\s*(?:;|$)/i.test(content.mediaType) || content.stream) return undefined
  const node = resolveRef(api, content.schema)
  if (node.kind === 'boolean') return node.kind
  if (node.kind === 'number') return node.as === undefined ? node.kind : undefined
  const [kind, ...others] =
    node.kind === 'enum' ? new Set(node.values.map((one) => typeof one)) : []
  if (others.length > 0) return undefined
  return kind === 'number' || kind === 'boolean' || kind === 'string' ? kind : undefined
}

/** Whether the input is required. */
export function hasInput(api: Api, { parameters, body }: Operation): 'required' | 'optional' {
  if (parameters.some(({ required, credential }) => required && !credential)) return 'required'
  if (body?.required !== true) return 'optional'
  if (findBodyShape(api, body).flatten === 'body') return 'required'
  const schema = body.contents[0] && resolveRef(api, body.contents[0].schema)
  const isOptional =
    schema?.kind === 'object' && schema.properties.every(({ required }) => !required)
  return isOptional && schema.alsoRequired.length === 0 ? 'optional' : 'required'
}

/** The fields of a form that are sent as XML and are not strings. The caller writes them. */
export function listXmlParts(
  api: Api,
  { mediaType, schema, encoding }: Content,
): readonly string[] {
  if (!isForm(mediaType)) return []
  const named = Object.entries(encoding).flatMap(([name, { contentType = '' }]) =>
    isXml(contentType) ? [name] : [],
  )
  if (named.length === 0) return []
  const others = listProperties(api, schema).filter(
    (property) => !isText(resolveRef(api, property.schema).kind),
  )
  return named.filter((name) => others.some((property) => property.name === name))
}

function isXml(contentType: string): boolean {
  return /[/+]xml\b/i.test(contentType)
}

function isText(kind: string): boolean {
  return ['string', 'number', 'boolean', 'enum', 'binary', 'never'].includes(kind)
}

/** The type of the items of a response, from that of one item. */
export function printStreamType(
  { kind }: Stream,
  item: Code,
  { idempotent }: Pick<Operation, 'idempotent'>,
): Code {
  if (kind !== 'events')
    return code`${symbol('ItemStream', './stream.js', { typeOnly: true })}<${item}>`
  return code`${symbol('EventStream', './events.js', { typeOnly: true })}<${item}, ${String(idempotent)}>`
}

/** The reader of the items of a response. `from` returns a name of a runtime file. */
export function printStreamReader(
  stream: Stream,
  from: (file: 'events' | 'json-items' | 'parts') => (name: string) => Code,
): Code {
  if (stream.kind === 'parts') {
    const types = join(
      [literal(stream.prefix), stream.rest !== undefined && literal(stream.rest)].filter(Boolean),
      ', ',
    )
    return code`/* @__PURE__ */ ${from('parts')('createPartsReader')}(${types})`
  }
  if (stream.kind !== 'events')
    return from('json-items')(stream.kind === 'lines' ? 'readLines' : 'readSequence')
  const { data, except } = stream
  if (except.length === 0) return from('events')(data === 'json' ? 'readEvents' : 'readTextEvents')
  return code`/* @__PURE__ */ ${from('events')('createEventsReader')}(${literal(data)}, ${literal(except)})`
}

/** Whether a response of the document has items. */
export function hasStreams(api: Api): boolean {
  return listKinds(api).size > 0
}

/** The exports of an index for streams, if the document has any. */
export function printStreamExports(api: Api): readonly Code[] {
  const kinds = listKinds(api)
  if (kinds.size === 0) return []
  const events = kinds.has('events')
  return [
    code`export type { ItemStream } from './stream.js'
export { InvalidItemError, validated, type ItemSchema } from './validated.js'${
      events &&
      `
export type { EventStream } from './events.js'
export { resumed, type ResumeOptions } from './resumed.js'`
    }`,
  ]
}

function listKinds({ operations }: Api): ReadonlySet<string> {
  return new Set(
    operations.flatMap(({ responses }) =>
      responses.flatMap(({ contents }) => contents.flatMap(listStreamKinds)),
    ),
  )
}

function listStreamKinds({ stream }: Content): readonly string[] {
  return stream === undefined ? [] : [stream.kind]
}

/** Lists the responses whose bodies are not bytes. */
export function listReadable(api: Api, responses: readonly Response[]): readonly Response[] {
  return responses.flatMap((response) => {
    const contents = response.contents.filter((content) => contentKind(content, api) !== 'binary')
    return contents.length === 0 ? [] : [{ ...response, contents }]
  })
}
