import { code, type Code, join, namespace, sourceFile, symbol } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, literal, describeOrigin, propertyKey } from '../emit/literal.js'
import {
  type Api,
  type Content,
  type Operation,
  type Parameter,
  type Response,
  sentMethod,
} from '../ir/api.js'
import { printFacts, isScalar } from './server/facts.js'
import { isForm, findTextScalar, findBodyKind } from '../emit/content.js'
import {
  printField,
  createFormTypes,
  listStatusTypes,
  textual,
  type TypeContext,
  typeText,
} from '../emit/type-text.js'
import { holdsBinary, oncePer, resolveRef } from '../emit/schemas.js'
import { pascalCase, uniqueNames } from '../ir/names.js'

const ownRuntime =
  'decode-deep-object decode-parameters decode-values media-type operation-facts problems read-body read-multipart rejected-request router serve shape write-response write-items'.split(
    ' ',
  )
const clientRuntime =
  'call events files format-name invalid-input-error json-items part-bytes parts serialize stream text unexpected-response-error'.split(
    ' ',
  )

/** A Hono app with a typed handler for each operation. It validates by the zod output. */
export const server: Emitter = {
  name: 'server',
  needs: ['types', 'zod'],
  into: 'packages/server/src/generated',
  optional: true,
  suits: ['hono'],
  runtime: [
    ...ownRuntime.map((name) => `server/${name}.ts`),
    ...clientRuntime.map((name) => `client/${name}.ts`),
  ],
  runtimeByNeed: true,
  emit: (api) => [
    sourceFile('facts.ts', printFacts(api)),
    sourceFile('operations.ts', printOperations(api)),
    sourceFile('index.ts', printIndex(api)),
  ],
}

function printIndex({ title }: Api): readonly Code[] {
  const all = namespace('facts', './facts.js')
  const app = symbol('Hono', 'hono', { typeOnly: true })
  const env = symbol('Env', 'hono', { typeOnly: true })
  return [
    code`export type * from './operations.js'
export type { OperationFacts, Problem } from './operation-facts.js'
export { RejectedRequest, type RejectedStatus } from './rejected-request.js'
export type { ServerOptions } from './serve.js'`,
    code`${docComment([`${title}: a Hono app that calls a handler for each operation. It checks no credentials.`])}export function createServer<E extends ${env} = ${env}>(handlers: ${symbol('Handlers', './operations.js', { typeOnly: true })}<E>, options?: ${symbol('ServerOptions', './serve.js', { typeOnly: true })}<E>): ${app}<E> {
  return ${symbol('serve', './serve.js')}<E>(${all}.operations, ${all}.shapes, handlers, options)
}`,
  ]
}

/** Prints the types of the request, the responses and the handler of each operation. */
function printOperations(api: Api): readonly Code[] {
  const files = createFormTypes(api, code`File`)
  const headers = createHeaderTypes(api)
  const each = api.operations.flatMap((operation) => {
    const name = pascalCase(operation.id)
    return [
      code`${docComment([`What the handler of \`${operation.id}\` gets: read and validated.`])}export type ${name}Request = ${printRequest(api, operation, files)}`,
      code`${docComment([`What the handler of \`${operation.id}\` may respond with.`])}export type ${name}Response =\n${printResponses(api, operation, headers)}`,
    ]
  })
  const context = symbol('Context', 'hono', { typeOnly: true, as: 'HonoContext' })
  const env = symbol('Env', 'hono', { typeOnly: true, as: 'HonoEnv' })
  const handlers = join(
    api.operations.map((operation) => printHandler(api, operation)),
    '\n',
  )
  const comment = docComment([
    'A handler for each operation. One that is missing does not compile.',
  ])
  // the compiler exempts unused parameters with this name
  if (api.operations.length === 0)
    return [code`${comment}export type Handlers<_E extends ${env} = ${env}> = {}`]
  return [
    ...each,
    ...files.declarations(),
    ...headers.declarations(),
    code`${comment}export type Handlers<E extends ${env} = ${env}> = {
${handlers}
}`,
    code`type Handler<E extends ${env}, Request, Response> = (request: Request, context: ${context}<E>) => Response | Promise<Response>`,
  ]
}

function printHandler(
  api: Api,
  { id, method, path, summary, description, deprecated, origin }: Operation,
): Code {
  const summaryText = summary ?? description ?? `Handles \`${sentMethod(method)} ${path}\`.`
  const comment = docComment(
    [summaryText, deprecated ? '@deprecated' : undefined, describeOrigin(api, origin)],
    '  ',
  )
  return code`${comment}  readonly ${propertyKey(id)}: Handler<E, ${pascalCase(id)}Request, ${pascalCase(id)}Response>`
}

const places = [
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
] as const

function printRequest(api: Api, { parameters, body }: Operation, files: TypeContext): Code {
  const own = parameters.filter(({ credential }) => !credential)
  const parts = places.flatMap(([place, name]) => {
    const fields = own.filter((parameter) => parameter.in === place).map(printParameter)
    return fields.length === 0
      ? []
      : [code`  readonly ${name}: ${code`{\n${join(fields, '\n')}\n}`}`]
  })
  const whole = own
    .filter((parameter) => parameter.in === 'querystring')
    .map(
      ({ required, schema }) =>
        code`  readonly querystring${required ? '' : '?'}: ${typeText(schema, textual)}`,
    )
  const fields = [...parts, ...whole]
  const base = fields.length === 0 ? code`{}` : code`{\n${join(fields, '\n')}\n}`
  if (body === undefined) return base
  const none = body.required
    ? []
    : [code`{ readonly contentType?: undefined; readonly body?: undefined }`]
  const bodies = body.contents.map(
    (content) =>
      code`{ readonly contentType: ${printMediaType(content.mediaType)}; readonly body: ${printBody(api, content, files)} }`,
  )
  const all = [...bodies, ...none]
  if (all.length === 0) return base
  const alternatives = all.length === 1 ? code`${all[0]}` : code`(\n  | ${join(all, '\n  | ')}\n)`
  return fields.length === 0 ? alternatives : code`${base} & ${alternatives}`
}

function printParameter({ name, in: place, schema, required, notes }: Parameter): Code {
  const described =
    notes.description === undefined
      ? schema
      : { ...schema, notes: { ...schema.notes, description: notes.description } }
  return printField(
    place === 'header' ? name.toLowerCase() : name,
    described,
    required,
    typeText(schema, textual),
  )
}

function printBody(api: Api, content: Content, files: TypeContext): Code {
  const { mediaType, schema, stream } = content
  if (stream !== undefined)
    return code`AsyncIterable<${typeText(schema, stream.kind === 'parts' ? { ...textual, binary: code`Blob` } : textual)}>`
  const kind = findBodyKind(content, api)
  if (kind === 'binary') return code`Blob`
  // the named type has kinds of files that a server never receives
  if (isForm(mediaType) && kind !== 'json')
    return typeText(holdsBinary(api, schema) ? resolveRef(api, schema) : schema, files)
  return kind === 'json' || isScalar(resolveRef(api, schema))
    ? typeText(schema, textual)
    : code`string`
}

/** Prints a literal, or a template for a range of media types. */
function printMediaType(mediaType: string): Code {
  if (!mediaType.includes('*')) return literal(mediaType)
  return mediaType === '*/*'
    ? code`string`
    : code`\`${mediaType.replace(/\*.*/s, '').replaceAll(/[`\\$]/g, '')}\${string}\``
}

function printResponses(api: Api, operation: Operation, headers: HeaderTypes): Code {
  const { responses } = operation
  const members = responses.flatMap((response) =>
    listStatusTypes(response, responses).flatMap(({ type }) =>
      printContents(api, response, headers.find(response)).map(
        (rest) => code`  | { readonly status: ${type}${rest} }`,
      ),
    ),
  )
  // without declared responses, only the status is left
  return members.length === 0
    ? code`  { readonly status: number; ${printBare(headers.find({ headers: [] }))} }`
    : join(members, '\n')
}

/** Prints a member for each media type. A single media type need not be named. */
function printContents(api: Api, { contents }: Response, type: Code): readonly Code[] {
  const headers = code`readonly headers?: ${type}`
  if (contents.length === 0) return [code`; ${printBare(type)}`]
  return contents.map((content) => {
    const isNamed = contents.length > 1 || content.mediaType.includes('*')
    return code`; readonly contentType${isNamed ? '' : '?'}: ${printMediaType(content.mediaType)}; readonly body: ${printResponseBody(api, content)}; ${headers}`
  })
}

function printBare(headers: Code): Code {
  return code`readonly body?: undefined; readonly headers?: ${headers}`
}

type HeaderTypes = {
  readonly find: (response: Pick<Response, 'headers'>) => Code
  readonly declarations: () => readonly Code[]
}

/** Most responses of a document have the same headers, so each set of them is a type. */
function createHeaderTypes({ operations: all }: Api): HeaderTypes {
  const unique = uniqueNames(
    all.flatMap(({ id }) => [`${pascalCase(id)}Request`, `${pascalCase(id)}Response`]),
  )
  const known = new Map<string, { readonly name: string; readonly type: Code }>()
  const others = code`Readonly<Record<string, unknown>>`
  const nameHeaders = oncePer((headers: Response['headers']): Code => {
    if (headers.length === 0) return others
    const fields = headers.map(
      ({ name, schema }) => code`  readonly ${propertyKey(name)}?: ${typeText(schema, textual)}`,
    )
    const type = code`{\n${join(fields, '\n')}\n} & ${others}`
    const { name } = known.get(type.text) ?? { name: unique('ResponseHeaders') }
    known.set(type.text, { name, type })
    return code`${name}`
  })
  return {
    find: ({ headers }) => nameHeaders(headers),
    declarations: () =>
      Array.from(known.values(), ({ name, type }) => code`export type ${name} = ${type}`),
  }
}

function printResponseBody(api: Api, content: Content): Code {
  const { schema, stream } = content
  if (stream !== undefined) {
    const item = typeText(
      schema,
      stream.kind === 'parts'
        ? { ...textual, binary: code`Blob | Uint8Array<ArrayBuffer>` }
        : textual,
    )
    return code`Iterable<${item}> | AsyncIterable<${item}>`
  }
  const kind = findBodyKind(content, api)
  if (kind === 'json' || findTextScalar(api, content) !== undefined)
    return typeText(schema, textual)
  return kind === 'binary'
    ? symbol('Bytes', './operation-facts.js', { typeOnly: true })
    : code`string`
}
