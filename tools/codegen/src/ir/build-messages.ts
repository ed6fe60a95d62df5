import { show } from '../diagnostics.js'
import { type Json, type JsonObject, readOwn, pointerTo } from '../document/json.js'
import type {
  BodyContent,
  Content,
  Method,
  Parameter,
  RequestBody,
  Response,
  ResponseHeader,
} from './api.js'
import { buildContents, readDescription } from './build-content.js'
import {
  type Context,
  dereference,
  type LocatedNode,
  buildOnce,
  readEntries,
  skipExtensions,
  readNonEmpty,
} from './build-context.js'
import { readBoolean } from './build-keywords.js'
import { inputWords } from './names.js'
import { mediaKind } from '../document/media.js'
import { match, omitUndefined, type Schema } from './schema.js'
import { readParameterValue } from './build-parameters.js'

/** The request body of an operation, with the fields that it adds to the flat input. */
export function buildBody(
  context: Context,
  body: Json | undefined,
  pointer: string,
): RequestBody | undefined {
  if (body === undefined) return undefined
  const target = dereference(context, { node: body, pointer } satisfies LocatedNode)
  return target && buildWholeBody(context, target)
}

const buildWholeBody = buildOnce((context, target): RequestBody | undefined => {
  const contents = buildContents(context, target).toSorted(
    (a, b) => rankContent(a) - rankContent(b),
  )
  if (contents.length === 0) return undefined
  return Object.freeze({
    required: readBoolean(context, target, 'required') === true,
    contents: Object.freeze(contents.map((content) => addFields(context, content, target.pointer))),
    ...omitUndefined({ description: readDescription(target) }),
  })
})

function addFields(context: Context, content: Content, pointer: string): BodyContent {
  for (const name of listXmlObjects(context, content))
    context.report('FB4032', pointer, `part ${show(name)}`, 'a string, or a part that is JSON')
  const fields =
    content.stream === undefined
      ? listFields(content.schema, context.findSchema, new Set())
      : undefined
  const isWhole = fields === undefined || fields.length === 0
  return Object.freeze({
    ...content,
    flatten: isWhole ? 'body' : 'fields',
    fields: Object.freeze(isWhole ? [] : fields),
    nested: [],
  })
}

/** The properties of a form that are objects, and that its encoding sends as XML. */
function listXmlObjects(
  context: Context,
  { mediaType, schema, encoding }: Content,
): readonly string[] {
  if (mediaKind(mediaType) !== 'multipart' && mediaKind(mediaType) !== 'urlencoded') return []
  const target = follow(context, schema)
  if (target?.kind !== 'object') return []
  return target.properties.flatMap(({ name, schema: property }) => {
    const { contentType = '' } = encoding[name] ?? {}
    return /[/+]xml\b/i.test(contentType) && follow(context, property)?.kind === 'object'
      ? [name]
      : []
  })
}

function follow(context: Context, schema: Schema): Schema | undefined {
  let found: Schema | undefined = schema
  for (let hops = 0; found?.kind === 'ref' && hops < 50; hops++)
    found = context.findSchema(found.name)
  return found
}

/**
 * Nests the fields of a body whose names are taken, so that no field of a body changes the name of
 * another input or field.
 */
export function settleBody(
  context: Context,
  pointer: string,
  body: RequestBody,
  parameters: readonly Parameter[],
): RequestBody {
  const takenNames = new Set<string>([
    inputWords.nested,
    ...parameters.filter(({ credential }) => !credential).map(({ field }) => field),
  ])
  if (body.contents.length > 1) takenNames.add(inputWords.choice)
  const all = new Set(
    body.contents.flatMap(({ fields }) => fields.filter((field) => takenNames.has(field))),
  )
  if (all.size === 0) return body
  for (const field of all)
    context.report(
      'FB4007',
      pointer,
      `body field ${show(field)}`,
      `a name of its own; it is given in ${show(inputWords.nested)}`,
    )
  const contents = body.contents.map((content) =>
    Object.freeze({
      ...content,
      nested: Object.freeze(content.fields.filter((field) => all.has(field))),
    }),
  )
  return Object.freeze({ ...body, contents: Object.freeze(contents) })
}

/** Media types that a client can send come before ranges. */
function rankContent({ mediaType }: Content): number {
  const kind = ['json', 'multipart', 'urlencoded'].indexOf(mediaKind(mediaType))
  return (kind === -1 ? 3 : kind) + (mediaType.includes('*') ? 4 : 0)
}

/**
 * The properties that all forms of a body have in common; undefined if it is not a plain object: a
 * map, an array, bytes, or a nullable object. Conditions and exclusions beside the properties do not
 * matter here.
 */
function listFields(
  schema: Schema,
  lookup: Context['findSchema'],
  seen: Set<string>,
): readonly string[] | undefined {
  const again = (inner: Schema): readonly string[] | undefined => listFields(inner, lookup, seen)
  const several = (schemas: readonly Schema[]): readonly string[] | undefined => {
    const found = schemas.map(again)
    return found.every((fields) => fields !== undefined) ? [...new Set(found.flat())] : undefined
  }
  const none = (): undefined => undefined
  return match<readonly string[] | undefined>(schema, {
    object: (object) => {
      if (
        object.patterns.length > 0 ||
        (object.additional.kind !== 'any' && object.additional.kind !== 'never')
      )
        return undefined
      return [
        ...object.properties
          .filter(({ schema }) => schema.kind !== 'never')
          .map(({ name }) => name),
        ...object.alsoRequired,
      ]
    },
    ref: ({ name }) => {
      // its fields are counted already
      if (seen.has(name)) return []
      seen.add(name)
      const target = lookup(name)
      return target && again(target)
    },
    intersection: ({ parts }) => several(parts),
    union: ({ options }) => several(options),
    oneOf: ({ options }) => several(options),
    unevaluated: ({ base }) => again(base),
    conditional: ({ then, otherwise }) => several([then, otherwise]),
    any: () => [],
    not: () => [],
    never: none,
    null: none,
    boolean: none,
    number: none,
    string: none,
    binary: none,
    enum: none,
    array: none,
  })
}

/** The responses of an operation: statuses in ascending order, then ranges, then `default`. */
export function buildResponses(
  context: Context,
  operation: LocatedNode<JsonObject>,
  method: Method,
): readonly Response[] {
  const { node, pointer } = operation
  const entries = skipExtensions(readEntries(context, node, 'responses', pointer))
  if (entries.length === 0 && context.document.version === '3.0')
    context.report('FB4005', pointer, 'no responses', 'at least one')
  const known = new Set<Response['status']>()
  return Object.freeze(
    entries
      .flatMap(([key, value]) => {
        const at = pointerTo(pointer, 'responses', key)
        const status = parseStatus(key)
        if (status !== undefined && known.has(status))
          context.report('FB4015', at, show(key), `${status} in one spelling`)
        if (status !== undefined) known.add(status)
        if (status === undefined)
          context.report('FB4006', at, show(key), 'a status, a range such as 4XX, or default')
        const response = dereference(context, { node: value, pointer: at })
        return status === undefined || response === undefined
          ? []
          : [buildResponse(context, method, status, response)]
      })
      .toSorted((a, b) => rankStatus(a.status) - rankStatus(b.status)),
  )
}

function buildResponse(
  context: Context,
  method: Method,
  status: Response['status'],
  response: LocatedNode<JsonObject>,
): Response {
  const { contents, ...others } = readResponse(context, response)
  const isBare = /^head$/i.test(method) || status === 204 || status === 205 || status === 304
  if (isBare && contents.length > 0)
    context.report(
      'FB4038',
      pointerTo(response.pointer, 'content'),
      contents.map(({ mediaType }) => show(mediaType)).join(', '),
      'no content',
    )
  return Object.freeze({ status, ...others, contents: isBare ? noContents : contents })
}

const noContents: Response['contents'] = Object.freeze([])

/** What a response is, whatever its status. */
const readResponse = buildOnce((context, response): Omit<Response, 'status'> => ({
  description: readDescription(response) ?? '',
  headers: readHeaders(context, response),
  contents: buildContents(context, response),
}))

function readHeaders(
  context: Context,
  { node, pointer }: LocatedNode<JsonObject>,
): Response['headers'] {
  return Object.freeze(
    readEntries(context, node, 'headers', pointer).flatMap(([name, value]) => {
      const header = dereference(context, {
        node: value,
        pointer: pointerTo(pointer, 'headers', name),
      })
      if (header === undefined || name.toLowerCase() === 'content-type') return []
      return [
        Object.freeze({
          name,
          required: readBoolean(context, header, 'required') === true,
          ...readHeaderValue(context, header),
          ...omitUndefined({ description: readNonEmpty(readOwn(header.node, 'description')) }),
        }),
      ]
    }),
  )
}

const readHeaderValue = buildOnce((context, header): Pick<ResponseHeader, 'schema' | 'mediaType'> =>
  readParameterValue(context, header),
)

function parseStatus(key: string): Response['status'] | undefined {
  if (/^[1-5]\d\d$/.test(key)) return Number(key)
  return ranges.find((range) => range.toUpperCase() === key.toUpperCase())
}

const ranges = ['1XX', '2XX', '3XX', '4XX', '5XX', 'default'] as const

function rankStatus(status: Response['status']): number {
  return typeof status === 'number' ? status : 1000 + ranges.indexOf(status)
}
