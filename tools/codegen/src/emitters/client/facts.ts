import {
  findBodyShape,
  type BodyShape,
  contentKind,
  isForm,
  isSerializedForm,
  findTextScalar,
  isJson,
  printStreamReader,
  findBodyKind,
  listXmlParts,
} from '../../emit/content.js'
import { block, code, join, namespace, symbol, type Code } from '../../emit/code.js'
import {
  createSharing,
  exportConstants,
  nameParameter,
  nameParameters,
  nameResponse,
  nameResponses,
} from '../../emit/constants.js'
import { literal, propertyKey } from '../../emit/literal.js'
import { oncePer, resolveRef } from '../../emit/schemas.js'
import { listBodyFacts, oncePerParameter, listOperationFacts } from '../../emit/operation-facts.js'
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
import { printJsonReviver, createValueModules, type ValueModules } from './values.js'

/**
 * One const for each operation: its facts, and imports of the runtime functions that it needs, so
 * that a bundler drops those of unused operations. `local` returns a local name that no operation
 * has. `isChecked`: values that would arrive changed are rejected.
 */
export function* printFacts(
  api: Api,
  local: (name: string) => string,
  isChecked: boolean,
): Iterable<Code> {
  const importFrom = createImporter(local)
  const { mark, statements } = createSharing()
  const pieces: Pieces = {
    call: importFrom('call'),
    parameters: importFrom('parameters'),
    serialize: importFrom('serialize'),
    body: importFrom('body'),
    decode: importFrom('decode'),
    more: importFrom,
    isChecked,
    values: createValueModules(local),
    revivers: namespace(local('revivers'), './values.js'),
  }
  const one = pieces.call('ParameterFacts', true)
  const use: Use = {
    ...pieces,
    mark,
    parameter: oncePerParameter(api, (parameter) =>
      mark(
        printRecord(listParameterEntries(api, parameter, pieces)),
        one,
        nameParameter(parameter),
      ),
    ),
    readers: oncePer((contents) =>
      mark(
        printResponse(api, contents, pieces),
        pieces.call('ResponseReaders', true),
        nameResponse(api, contents),
      ),
    ),
  }
  const type = use.call('OperationFacts', true)
  const all = local('all')
  const ids = api.operations.map(({ id }) => id)
  const { declare, rest } = exportConstants([...ids, all])
  const each = api.operations.map((operation) => ({
    name: operation.id,
    value: printObject(listEntries(api, operation, use)),
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

/** Gives equal imports as one object, which needs no comparison. */
function createImporter(local: (name: string) => string): (file: string) => Piece {
  const known = new Map<string, Code>()
  return (file) =>
    (name, typeOnly = false) => {
      const key = `${file} ${name} ${typeOnly}`
      const found = known.get(key) ?? symbol(name, `./${file}.js`, { typeOnly, as: local(name) })
      known.set(key, found)
      return found
    }
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
  /** The readers of the contents of a response. */
  readonly readers: (contents: Response['contents']) => Code
  /** Shares a part that several operations may have. */
  readonly mark: (part: Code, type: Code, name: string) => Code
}

type Entry = readonly [name: string, value: Json | Code | undefined]

function listEntries(api: Api, operation: Operation, use: Use): readonly Entry[] {
  const { parameters, body, responses, extensions } = operation
  const accept = formatAcceptHeader(responses)
  const one = use.call('ParameterFacts', true)
  // the path is built before the query
  const inOrder = parameters
    .filter(({ credential }) => !credential)
    .toSorted((one, other) => Number(one.in !== 'path') - Number(other.in !== 'path'))
  return [
    ...listOperationFacts(operation)
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
            nameParameters(inOrder),
          )
        : undefined,
    ],
    ['put', inOrder.length > 0 ? choosePutter(use) : undefined],
    [
      'body',
      body &&
        use.mark(
          printBody(api, body, inOrder.length > 0, extensions['x-max-file-bytes'], use),
          use.call('BodyFacts', true),
          `${chooseEncoder(api, body.contents[0]).slice('encode'.length)} body`,
        ),
    ],
    ['accept', accept === '' ? undefined : accept],
    [
      'responses',
      use.mark(
        printObject(
          responses.map(({ status, contents }) => [String(status), use.readers(contents)]),
        ),
        code`Readonly<Record<string, ${use.call('ResponseReaders', true)}>>`,
        nameResponses(api, responses),
      ),
    ],
    [
      'otherwise',
      responses.some(({ status }) => typeof status !== 'number')
        ? use.decode('findByRange')
        : undefined,
    ],
  ]
}

/** The facts of the record that the runtime and middleware read. */
const factsOfCalls: ReadonlySet<string> = new Set(
  'id method path security idempotent rateLimit discovery'.split(' '),
)

function choosePutter({ isChecked, more, parameters }: Pieces): Code {
  return isChecked ? more('checked')('putChecked') : parameters('putParameters')
}

function dropFragment({ path }: Operation): string {
  return path.replace(/#.*/s, '')
}

/** The limits of a class in the document's table, by plan. Undefined without any. */
function readLimits({ extensions }: Api, rateLimit: Json | undefined): Json | undefined {
  const figures =
    typeof rateLimit === 'string'
      ? readMember(readMember(extensions['x-rate-limits'], 'classes'), rateLimit)
      : undefined
  return typeof figures === 'object' && figures !== null && Object.keys(figures).length > 0
    ? figures
    : undefined
}

function readMember(value: Json | undefined, name: string): Json | undefined {
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    !Object.hasOwn(value, name)
  )
    return undefined
  return (value as Readonly<Record<string, Json>>)[name]
}

function listParameterEntries(api: Api, parameter: Parameter, use: Pieces): readonly Entry[] {
  const { name, field, in: place, required, style, explode, allowReserved, mediaType } = parameter
  const isPlain =
    createScalarTest(api)(parameter.schema) &&
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
    ['missing', required ? use.parameters('rejectMissing') : undefined],
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
const createScalarTest = oncePer((api: Api) => {
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

function printBody(
  api: Api,
  body: RequestBody,
  besideParameters: boolean,
  maxFileBytes: Json | undefined,
  use: Use,
): Code {
  const all = body.contents.map((content) =>
    printObject(listBodyEntries(api, body, content, besideParameters, maxFileBytes, use)),
  )
  if (all.length < 2) return all[0] ?? printObject([])
  return code`/* @__PURE__ */ ${use.more('choice')('chooseBody')}(${block(all, '[]')})`
}

function listBodyEntries(
  api: Api,
  body: RequestBody,
  content: BodyContent,
  besideParameters: boolean,
  maxFileBytes: Json | undefined,
  use: Use,
): readonly Entry[] {
  const take = chooseTaker(findBodyShape(api, body, content), body.required, besideParameters)
  const facts = listBodyFacts(api, body, content)
  const hasFiles = facts.some(([name, value]) => name === 'files' && value !== undefined)
  return [
    ['required', (body.required && take !== 'takeInput') || undefined],
    ...facts,
    ['maxFileBytes', typeof maxFileBytes === 'object' && hasFiles ? maxFileBytes : undefined],
    ['take', take === 'takeNested' ? use.more('nested')(take) : use.body(take)],
    ['encode', printEncoder(api, content, use)],
  ]
}

function chooseTaker(
  { flatten, nested }: BodyShape,
  required: boolean,
  besideParameters: boolean,
): string {
  if (nested.length > 0) return 'takeNested'
  if (flatten === 'body') return 'takeBody'
  return besideParameters ? 'takeFields' : required ? 'takeInput' : 'takeGivenInput'
}

function printEncoder(api: Api, content: BodyContent, use: Pieces): Code {
  const kind = content.stream?.kind
  if (kind !== undefined && kind !== 'events') {
    const items =
      kind === 'parts'
        ? use.more('encode-parts')('encodeParts')
        : use.more('encode-items')(kind === 'lines' ? 'encodeLines' : 'encodeSequence')
    const safe = kind === 'parts' ? items : printChecked('checkItems', items, use)
    if (!holdsDate(api, content.schema)) return safe
    return code`/* @__PURE__ */ ${use.values[holdsTemporal(api, content.schema) ? 'temporal' : 'date']}.prepareItems(${safe})`
  }
  const name = chooseEncoder(api, content)
  const piece = importEncoder(api, content, use)
  const written =
    name === 'encodeRaw'
      ? piece
      : printChecked(name === 'encodeJson' ? 'checkJson' : 'checkForm', piece, use)
  if (listXmlParts(api, content).length === 0) return written
  return code`/* @__PURE__ */ ${use.more('xml-parts')('withXmlParts')}(${written})`
}

function printChecked(
  name: 'checkItems' | 'checkJson' | 'checkForm',
  encode: Code,
  { isChecked, more }: Pieces,
): Code {
  return isChecked ? code`/* @__PURE__ */ ${more('checked')(name)}(${encode})` : encode
}

function importEncoder(api: Api, content: BodyContent, use: Pieces): Code {
  const name = chooseEncoder(api, content)
  if (name === 'encodeJson')
    return content.mediaType.includes('*')
      ? use.more('encode-range')('encodeJsonOfRange')
      : use.body(name)
  return use.more(name === 'encodeRaw' ? 'encode-raw' : 'encode-form')(name)
}

function chooseEncoder(api: Api, first: BodyContent | undefined): string {
  if (first !== undefined && contentKind(first, api) === 'json') return 'encodeJson'
  if (first === undefined || !isForm(first.mediaType) || isSerializedForm(api, first))
    return 'encodeRaw'
  return /^multipart/i.test(first.mediaType) ? 'encodeMultipart' : 'encodeForm'
}

/**
 * Media types of success come first, so that a service that negotiates by `accept` prefers them.
 */
function formatAcceptHeader(responses: readonly Response[]): string {
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
function printResponse(api: Api, contents: Response['contents'], use: Pieces): Code {
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
    type: stripMediaParameters(content.mediaType),
    read: printBodyReader(api, content, use),
  }))
  return printList(
    types
      .toSorted((one, other) => rank(one.type) - rank(other.type))
      .map(
        ({ type, read }) => code`[${join([literal(type), read, chooseTypeTest(type, use)], ', ')}]`,
      ),
  )
}

function printBodyReader(api: Api, content: Content, use: Pieces): Code {
  const scalar = findTextScalar(api, content)
  if (scalar === 'number' || scalar === 'boolean')
    return use.more('read-scalar')(scalar === 'number' ? 'readNumberText' : 'readBooleanText')
  const read =
    content.stream === undefined
      ? use.decode(reader[findBodyKind(content, api)])
      : printStreamReader(content.stream, use.more)
  const isParsed = content.stream !== undefined || findBodyKind(content, api) === 'json'
  const revive = isParsed
    ? printJsonReviver(api, content.schema, use.values, (name) => code`${use.revivers}.${name}`)
    : undefined
  if (revive === undefined) return read
  return code`/* @__PURE__ */ ${use.values.revive}.${content.stream === undefined ? 'readRevived' : 'readRevivedItems'}(${read}, ${revive})`
}

function rank(type: string): number {
  if (type === '*/*') return 3
  return isJson(type) ? 2 : Number(type.endsWith('/*'))
}

function chooseTypeTest(type: string, use: Pieces): Code | undefined {
  if (type.endsWith('/*')) return use.decode('isOfFamily')
  if (isJson(type)) return use.decode('isJson')
  return aliased.test(type) ? use.decode('isSameFormat') : undefined
}

/** Formats whose media types are written in several ways. */
const aliased =
  /^(?:application|text)\/(?:x-|vnd\.)?(?:ndjson|jsonl|json-?lines|xml|yaml|csv|javascript)$/

/** A media type without parameters. */
function stripMediaParameters(mediaType: string): string {
  return mediaType.replace(/;.*/s, '').trim().toLowerCase()
}

function printObject(entries: readonly Entry[]): Code {
  return block(printProperties(entries), '{}')
}

/** In one line. */
function printRecord(entries: readonly Entry[]): Code {
  return code`{ ${join(printProperties(entries), ', ')} }`
}

function printProperties(entries: readonly Entry[]): readonly Code[] {
  return entries.flatMap(([name, value]) => {
    if (value === undefined) return []
    const { text, imports } = isCode(value) ? value : literal(value)
    return [{ text: `${propertyKey(name).text}: ${text}`, imports }]
  })
}

function printList(items: readonly Code[]): Code {
  return code`[${join(items, ', ')}]`
}

function isCode(value: Json | Code): value is Code {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'imports' in value
}
