import {
  findBodyShape,
  type BodyShape,
  contentKind,
  isForm,
  isWrittenForm,
  textScalar,
  isJson,
  printStreamReader,
  wholeKind,
  listXmlParts,
} from '../../emit/content.js'
import { block, code, join, namespace, symbol, type Code } from '../../emit/code.js'
import {
  createSharing,
  exportConstants,
  parameterName,
  parametersName,
  responseName,
  responsesName,
} from '../../emit/constants.js'
import { literal, propertyKey } from '../../emit/literal.js'
import { oncePer, resolveRef } from '../../emit/schemas.js'
import { bodyFacts, oncePerParameter, operationFacts } from '../../emit/operation-facts.js'
import {
  hasBigints,
  holdsConverted,
  holdsDate,
  holdsTemporal,
} from '../../emit/values/converted.js'
import type {
  Api,
  BodyContent,
  Content,
  Operation,
  Parameter,
  RequestBody,
  Response,
} from '../../ir/api.js'
import type { Json, Schema } from '../../ir/schema.js'
import { revivesJson, valueModules, type ValueModules } from './values.js'

/**
 * One const for each operation: its facts, and imports of the runtime functions that it needs, so
 * that a bundler drops those of unused operations. `local` returns a local name that no operation
 * has. `isChecked`: values that would arrive changed are rejected.
 */
export function* facts(
  api: Api,
  local: (name: string) => string,
  isChecked: boolean,
): Iterable<Code> {
  const from =
    (file: string) =>
    (name: string, typeOnly = false) =>
      symbol(name, `./${file}.js`, { typeOnly, as: local(name) })
  const { mark, statements } = createSharing()
  const pieces: Pieces = {
    call: from('call'),
    parameters: from('parameters'),
    serialize: from('serialize'),
    body: from('body'),
    decode: from('decode'),
    more: from,
    isChecked,
    values: valueModules(local),
    revivers: namespace(local('revivers'), './values.js'),
  }
  const one = pieces.call('ParameterFacts', true)
  const use: Use = {
    ...pieces,
    mark,
    parameter: oncePerParameter(api, (parameter) =>
      mark(record(parameterEntries(api, parameter, pieces)), one, parameterName(parameter)),
    ),
  }
  const type = use.call('OperationFacts', true)
  const all = local('all')
  const ids = api.operations.map(({ id }) => id)
  const { declare, rest } = exportConstants([...ids, all])
  const each = api.operations.map((operation) => ({
    name: operation.id,
    value: object(listEntries(api, operation, use)),
    declare: (value: Code) => declare({ name: operation.id, value, type }),
  }))
  const every = block(
    ids.map((id) => code`${id}`),
    '[]',
  )
  yield* statements(each, {
    declare: (name, value, as) => code`const ${name}: ${as} = ${value}`,
    taken: [all],
  })
  yield declare({
    name: all,
    value: every,
    type: code`readonly ${type}[]`,
    comment: code`/** All of them. */\n`,
  })
  yield* rest()
}

type Piece = (name: string, typeOnly?: boolean) => Code

type Pieces = Readonly<Record<'call' | 'parameters' | 'serialize' | 'body' | 'decode', Piece>> & {
  readonly more: (
    file:
      | 'checked'
      | 'choice'
      | 'cookie-style'
      | 'encode-form'
      | 'encode-items'
      | 'encode-parts'
      | 'encode-range'
      | 'encode-raw'
      | 'events'
      | 'json-items'
      | 'nested'
      | 'parts'
      | 'querystring'
      | 'read-scalar'
      | 'xml-parts',
  ) => Piece
  readonly isChecked: boolean
  readonly values: ValueModules
  /** The revivers of the values of named schemas. */
  readonly revivers: Code
}

type Use = Pieces & {
  readonly parameter: (parameter: Parameter) => Code
  /** Shares a part that several operations may have. */
  readonly mark: (part: Code, type: Code, name: string) => Code
}

type Entry = readonly [name: string, value: Json | Code | undefined]

function listEntries(api: Api, operation: Operation, use: Use): readonly Entry[] {
  const { parameters, body, responses, extensions } = operation
  const accept = acceptHeader(responses)
  const one = use.call('ParameterFacts', true)
  const answered = use.call('Answer', true)
  // the path is built before the query
  const inOrder = parameters
    .filter(({ credential }) => !credential)
    .toSorted((one, other) => Number(one.in !== 'path') - Number(other.in !== 'path'))
  return [
    ...operationFacts(operation)
      .filter(([name]) => factsOfCalls.has(name))
      // a fragment is never sent, and would swallow the query
      .map(([name, value]): Entry => [name, name === 'path' ? dropFragment(operation) : value]),
    ['maxUsd', operation.payment?.capUsd],
    ['limits', readLimits(api, extensions['x-rate-limit'])],
    [
      'parameters',
      inOrder.length > 0
        ? use.mark(
            block(inOrder.map(use.parameter), '[]'),
            code`readonly ${one}[]`,
            parametersName(inOrder),
          )
        : undefined,
    ],
    ['put', inOrder.length > 0 ? putAll(use) : undefined],
    [
      'body',
      body &&
        use.mark(
          bodyFact(api, body, inOrder.length > 0, extensions['x-max-file-bytes'], use),
          use.call('BodyFacts', true),
          `${encoder(api, body.contents[0]).slice('encode'.length)} body`,
        ),
    ],
    ['accept', accept === '' ? undefined : accept],
    [
      'responses',
      use.mark(
        object(
          responses.map((response) => [
            String(response.status),
            use.mark(answer(api, response, use), answered, responseName(api, response.contents)),
          ]),
        ),
        code`Readonly<Record<string, ${answered}>>`,
        responsesName(api, responses),
      ),
    ],
    [
      'otherwise',
      responses.some(({ status }) => typeof status !== 'number')
        ? use.decode('byRange')
        : undefined,
    ],
  ]
}

/** The facts of the record that the runtime and middleware read. */
const factsOfCalls: ReadonlySet<string> = new Set(
  'id method path security idempotent rateLimit discovery'.split(' '),
)

function putAll({ isChecked, more, parameters }: Pieces): Code {
  return isChecked ? more('checked')('putChecked') : parameters('putParameters')
}

function dropFragment({ path }: Operation): string {
  return path.replace(/#.*/s, '')
}

/** The limits of a class in the document's table, by plan. Undefined without any. */
function readLimits({ extensions }: Api, rateLimit: Json | undefined): Json | undefined {
  const figures =
    typeof rateLimit === 'string'
      ? member(member(extensions['x-rate-limits'], 'classes'), rateLimit)
      : undefined
  return typeof figures === 'object' && figures !== null && Object.keys(figures).length > 0
    ? figures
    : undefined
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !Object.hasOwn(value, name)
  )
    return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}

function parameterEntries(api: Api, parameter: Parameter, use: Pieces): readonly Entry[] {
  const { name, field, in: place, required, style, explode, allowReserved, mediaType } = parameter
  const isPlain =
    scalars(api)(parameter.schema) &&
    !allowReserved &&
    mediaType === undefined &&
    style === plainStyle[place]
  return [
    ['name', name],
    ['field', field === name ? undefined : field],
    ['in', place === 'querystring' ? 'query' : place],
    ['style', isPlain ? undefined : style],
    ['explode', isPlain ? undefined : explode],
    ['allowReserved', allowReserved || undefined],
    ['mediaType', mediaType],
    [
      'write',
      isPlain && place !== 'querystring'
        ? use.parameters(plainWriter[place])
        : printWriter(parameter, use),
    ],
    ['put', use.parameters(putter[place])],
    ['missing', required ? use.parameters('refuseMissing') : undefined],
  ]
}

function printWriter({ in: place, style }: Parameter, use: Pieces): Code {
  if (place === 'querystring') return use.more('querystring')('writeQueryString')
  return style === 'cookie' ? use.more('cookie-style')('writeCookie') : use.serialize('writeStyled')
}

const plainStyle = {
  path: 'simple',
  query: 'form',
  querystring: undefined,
  header: 'simple',
  cookie: 'form',
} as const
const plainWriter = {
  path: 'writeSegment',
  query: 'writePair',
  header: 'writeText',
  cookie: 'writePair',
} as const
const putter = {
  path: 'putPath',
  query: 'putQuery',
  querystring: 'putQuery',
  header: 'putHeader',
  cookie: 'putCookie',
} as const

/**
 * Whether every value of a schema is written the same way in all styles. Visits shared options
 * once.
 */
const scalars = oncePer((api: Api) => {
  const isScalar = oncePer((schema: Schema): boolean => {
    const node = resolveRef(api, schema)
    if (node !== schema) return isScalar(node)
    if (node.kind === 'union' || node.kind === 'oneOf') return node.options.every(isScalar)
    if (node.kind === 'intersection') return node.parts.some(isScalar)
    if (node.kind === 'enum')
      return node.values.every((value) => typeof value !== 'object' || value === null)
    return (
      node.kind === 'string' ||
      node.kind === 'number' ||
      node.kind === 'boolean' ||
      node.kind === 'null'
    )
  })
  return isScalar
}, new WeakMap())

function bodyFact(
  api: Api,
  body: RequestBody,
  besideParameters: boolean,
  maxFileBytes: Json | undefined,
  use: Use,
): Code {
  const all = body.contents.map((content) =>
    object(bodyEntries(api, body, content, besideParameters, maxFileBytes, use)),
  )
  if (all.length < 2) return all[0] ?? object([])
  return code`/* @__PURE__ */ ${use.more('choice')('chosenBody')}(${block(all, '[]')})`
}

function bodyEntries(
  api: Api,
  body: RequestBody,
  content: BodyContent,
  besideParameters: boolean,
  maxFileBytes: Json | undefined,
  use: Use,
): readonly Entry[] {
  const take = bodyTaker(findBodyShape(api, body, content), body.required, besideParameters)
  const hasFiles = bodyFacts(api, body, content).some(
    ([name, value]) => name === 'files' && value !== undefined,
  )
  return [
    ['required', (body.required && take !== 'takeInput') || undefined],
    ...bodyFacts(api, body, content),
    ['maxFileBytes', typeof maxFileBytes === 'object' && hasFiles ? maxFileBytes : undefined],
    ['take', take === 'takeNested' ? use.more('nested')(take) : use.body(take)],
    ['encode', bodyEncoder(api, content, use)],
  ]
}

function bodyTaker(
  { flatten, nested }: BodyShape,
  required: boolean,
  besideParameters: boolean,
): string {
  if (nested.length > 0) return 'takeNested'
  if (flatten === 'body') return 'takeBody'
  return besideParameters ? 'takeFields' : required ? 'takeInput' : 'takeGivenInput'
}

function bodyEncoder(api: Api, content: BodyContent, use: Pieces): Code {
  const kind = content.stream?.kind
  if (kind !== undefined && kind !== 'events') {
    const items =
      kind === 'parts'
        ? use.more('encode-parts')('encodeParts')
        : use.more('encode-items')(kind === 'lines' ? 'encodeLines' : 'encodeSequence')
    const safe = kind === 'parts' ? items : printChecked('checkedItems', items, use)
    if (!holdsDate(api, content.schema)) return safe
    return code`/* @__PURE__ */ ${use.values[holdsTemporal(api, content.schema) ? 'temporal' : 'date']}.sendableItems(${safe})`
  }
  const name = encoder(api, content)
  const piece = encoderPiece(api, content, use)
  const written =
    name === 'encodeRaw'
      ? piece
      : printChecked(name === 'encodeJson' ? 'checkedJson' : 'checkedForm', piece, use)
  if (listXmlParts(api, content).length === 0) return written
  return code`/* @__PURE__ */ ${use.more('xml-parts')('withXmlParts')}(${written})`
}

function printChecked(
  name: 'checkedItems' | 'checkedJson' | 'checkedForm',
  encode: Code,
  { isChecked, more }: Pieces,
): Code {
  return isChecked ? code`/* @__PURE__ */ ${more('checked')(name)}(${encode})` : encode
}

function encoderPiece(api: Api, content: BodyContent, use: Pieces): Code {
  const name = encoder(api, content)
  if (name === 'encodeJson')
    return content.mediaType.includes('*')
      ? use.more('encode-range')('encodeJsonOfRange')
      : use.body(name)
  return use.more(name === 'encodeRaw' ? 'encode-raw' : 'encode-form')(name)
}

function encoder(api: Api, first: BodyContent | undefined): string {
  if (first !== undefined && contentKind(first, api) === 'json') return 'encodeJson'
  if (first === undefined || !isForm(first.mediaType) || isWrittenForm(api, first))
    return 'encodeRaw'
  return /^multipart/i.test(first.mediaType) ? 'encodeMultipart' : 'encodeForm'
}

/**
 * Media types of success come first, so that a service that negotiates by `accept` prefers them.
 */
function acceptHeader(responses: readonly Response[]): string {
  const types = responses
    .toSorted(
      ({ status: one }, { status: other }) => Number(!isSuccess(one)) - Number(!isSuccess(other)),
    )
    .flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType))
  return [...new Set(types)].join(', ')
}

function isSuccess(status: Response['status']): boolean {
  return String(status).startsWith('2')
}

const reader = { json: 'readJson', text: 'readString', binary: 'readBytes' } as const

/**
 * The best match first: the same media type, then one of the same family, then another JSON type,
 * then the full wildcard.
 */
function answer(api: Api, { contents }: Response, use: Use): Code {
  if (contents.length === 0) return use.decode('nothing')
  if (
    contents.length === 1 &&
    contents[0]?.mediaType === 'application/json' &&
    contentKind(contents[0], api) === 'json' &&
    !holdsConverted(api, contents[0].schema) &&
    !hasBigints(api)
  )
    return use.decode('json')
  const types = contents.map((content) => ({
    type: bareMediaType(content.mediaType),
    read: bodyReader(api, content, use),
  }))
  return list(
    types
      .toSorted((one, other) => rank(one.type) - rank(other.type))
      .map(({ type, read }) => code`[${join([literal(type), read, fitReader(type, use)], ', ')}]`),
  )
}

function bodyReader(api: Api, content: Content, use: Use): Code {
  const scalar = textScalar(api, content)
  if (scalar === 'number' || scalar === 'boolean')
    return use.more('read-scalar')(scalar === 'number' ? 'readNumberText' : 'readBooleanText')
  const read =
    content.stream === undefined
      ? use.decode(reader[wholeKind(content, api)])
      : printStreamReader(content.stream, use.more)
  const isParsed = content.stream !== undefined || wholeKind(content, api) === 'json'
  const revive = isParsed
    ? revivesJson(api, content.schema, use.values, (name) => code`${use.revivers}.${name}`)
    : undefined
  if (revive === undefined) return read
  return code`/* @__PURE__ */ ${use.values.revive}.${content.stream === undefined ? 'revived' : 'revivedItems'}(${read}, ${revive})`
}

function rank(type: string): number {
  if (type === '*/*') return 3
  return isJson(type) ? 2 : Number(type.endsWith('/*'))
}

function fitReader(type: string, use: Use): Code | undefined {
  if (type.endsWith('/*')) return use.decode('isOfFamily')
  if (isJson(type)) return use.decode('isJson')
  return aliased.test(type) ? use.decode('isSameFormat') : undefined
}

/** Formats whose media types are written in several ways. */
const aliased =
  /^(?:application|text)\/(?:x-|vnd\.)?(?:ndjson|jsonl|json-?lines|xml|yaml|csv|javascript)$/

/** A media type without parameters. */
function bareMediaType(mediaType: string): string {
  return mediaType.replace(/;.*/s, '').trim().toLowerCase()
}

function object(entries: readonly Entry[]): Code {
  return block(printProperties(entries), '{}')
}

/** In one line. */
function record(entries: readonly Entry[]): Code {
  return code`{ ${join(printProperties(entries), ', ')} }`
}

function printProperties(entries: readonly Entry[]): readonly Code[] {
  return entries.flatMap(([name, value]) => {
    if (value === undefined) return []
    const { text, imports } = isCode(value) ? value : literal(value)
    return [{ text: `${propertyKey(name).text}: ${text}`, imports }]
  })
}

function list(items: readonly Code[]): Code {
  return code`[${join(items, ', ')}]`
}

function isCode(value: Json | Code): value is Code {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'imports' in value
}
