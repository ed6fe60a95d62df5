import { block, code, join, namespace, sourceFile, symbol, type Code } from '../emit/code.js'
import { contentKind, findTextScalar, isJson, findBodyKind } from '../emit/content.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment, literal, propertyKey } from '../emit/literal.js'
import { resolveNonNull, resolveRef } from '../emit/schemas.js'
import type { Api, Content, Operation, Response } from '../ir/api.js'
import type { Json, Schema } from '../ir/schema.js'
import { toArbitraryNode } from '../emit/arbitrary-node.js'
import { fillVariables, findOwnServer, listUsableServers } from '../ir/server-url.js'

/** Handlers of MSW 2 over the generated server. They validate requests, and send examples. */
export const msw: Emitter = {
  name: 'msw',
  needs: ['server', 'arbitraries'],
  into: 'packages/msw/src/generated',
  optional: true,
  suits: ['msw'],
  runtime: ['msw/mock.ts'],
  emit: (api) => [
    sourceFile('facts.ts', [printFacts(api)]),
    sourceFile('index.ts', printIndex(api)),
  ],
}

const arbitraryResponses = namespace('responses', '#arbitraries/responses')

function printFacts(api: Api): Code {
  const each = api.operations.map((operation) => printOperation(api, operation))
  return code`/** What each operation may respond with. */
export const operations: readonly ${symbol('MockFacts', './mock.js', { typeOnly: true })}[] = ${block(each, '[]')}`
}

function printOperation(api: Api, operation: Operation): Code {
  const responses = operation.responses.map(
    (response) =>
      code`    ${propertyKey(String(response.status))}: ${printResponse(api, operation, response)},`,
  )
  const headers = operation.responses.flatMap((response) => printHeaders(api, response))
  return code`{
  id: ${literal(operation.id)},
  status: ${chooseStatus(operation)},
  responses: {\n${join(responses, '\n')}\n  },${headers.length > 0 && code`\n  headers: {\n${join(headers, '\n')}\n  },`}
}`
}

/** Headers of how a body is sent, which fit no other body. */
const ofTransfer = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/** The headers that a response always has. */
function printHeaders(api: Api, { status, headers }: Response): readonly Code[] {
  const required = headers.filter(
    (header) => header.required && !ofTransfer.has(header.name.toLowerCase()),
  )
  if (required.length === 0) return []
  const each = required.map(({ name, mediaType, schema }) => {
    const { default: given, examples = [given] } = resolveRef(api, schema).notes
    const [example] = examples
    const parts = [
      ...(example === undefined ? [] : [code`example: ${literal(example)}`]),
      code`make: () => ${symbol('arbitraries', '#arbitraries/document')}(${literal(toHeaderNode(api, schema))})`,
      ...(mediaType !== undefined && isJson(mediaType) ? [code`isJson: true`] : []),
    ]
    return code`${propertyKey(name)}: { ${join(parts, ', ')} }`
  })
  return [code`    ${propertyKey(String(status))}: { ${join(each, ', ')} },`]
}

/** Letters, where any text would do: a header cannot hold all of them. */
function toHeaderNode(api: Api, schema: Schema): Json {
  const target = resolveNonNull(api, schema)
  const isAny = target.kind === 'string' && (target.pattern ?? target.format) === undefined
  return toArbitraryNode(isAny ? { ...target, pattern: '^[a-z]+$' } : target)
}

/** The first success; without one, the first response. */
function chooseStatus({ responses: all }: Operation): number {
  const [first] = [
    ...all.filter(({ status }) => String(status).startsWith('2')),
    ...all.filter(({ status }) => status === 'default'),
    ...all,
  ]
  if (first === undefined || first.status === 'default') return 200
  return typeof first.status === 'number' ? first.status : Number(first.status.replace('XX', '00'))
}

/** The bodies that a client may ask for. XML without an example has none, so it is the last resort. */
function printResponse(api: Api, operation: Operation, { status, contents }: Response): Code {
  const known = contents.filter((one) => hasBody(api, one))
  const bodies = known.length > 0 ? known : contents.slice(0, 1)
  return code`[${join(
    bodies.map((content) => printBody(api, operation, status, content)),
    ', ',
  )}]`
}

function printBody(
  api: Api,
  { id }: Operation,
  status: Response['status'],
  content: Content,
): Code {
  const kind = contentKind(content, api)
  const example = findExample(api, content)
  const isValue = kind !== 'binary' && isWritable(api, content)
  const parts = [
    code`type: ${literal(toConcreteType(content, api))}`,
    code`kind: ${literal(kind === 'stream' ? 'items' : kind === 'binary' ? 'bytes' : 'value')}`,
    ...(example === undefined ? [] : [code`example: ${literal(example)}`]),
    ...(isValue
      ? [
          code`make: () => ${arbitraryResponses}.${id}[${literal(String(status))}][${literal(content.mediaType)}]`,
        ]
      : []),
  ]
  return code`{ ${join(parts, ', ')} }`
}

/** Whether a body is known: XML without an example has none. */
function hasBody(api: Api, content: Content): boolean {
  return (
    contentKind(content, api) === 'binary' ||
    isWritable(api, content) ||
    findExample(api, content) !== undefined
  )
}

function findExample(api: Api, content: Content): Json | undefined {
  const [example] = content.examples
  return example !== undefined && isUsable(api, content, example.value) ? example.value : undefined
}

/** Whether an example is what a handler responds with: items as an array, not as they are written. */
function isUsable(api: Api, content: Content, example: Json): boolean {
  const kind = contentKind(content, api)
  return kind === 'stream'
    ? Array.isArray(example)
    : kind === 'json' || typeof example === (findTextScalar(api, content) ?? 'string')
}

/** A string is a value of its schema if that is a scalar, except for XML. */
function isWritable(api: Api, content: Content): boolean {
  if (content.stream !== undefined || findBodyKind(content, api) === 'json') return true
  return ['string', 'number', 'boolean', 'enum'].includes(resolveRef(api, content.schema).kind)
}

/** A media type of a family. */
function toConcreteType(content: Content, api: Api): string {
  if (!content.mediaType.startsWith('*/')) return content.mediaType.replace('*', 'example')
  return { json: 'application/json', text: 'text/plain', binary: 'application/octet-stream' }[
    findBodyKind(content, api)
  ]
}

function printIndex(api: Api): readonly Code[] {
  const [server] = listUsableServers(api)
  const known = server && fillVariables(server)
  const bases = [
    code`baseUrl`,
    ...new Set(api.operations.flatMap((operation) => findOwnServer(operation) ?? [])),
  ].map((base) => (typeof base === 'string' ? literal(base) : base))
  const handlers = symbol('Handlers', '#server', { typeOnly: true })
  const env = symbol('MockEnv', './mock.js', { typeOnly: true })
  return [
    code`export type MockOptions = {
${docComment(['What stands before every path. In a browser it may be relative to the page, and `*` stands for any server.', known === undefined ? undefined : `Default: ${known}`], '  ')}  readonly baseUrl${known === undefined ? '' : '?'}: string
  /** Two runs with one seed make the same values. Default 1. */
  readonly seed?: number
  /** A declared status for an operation to respond with. Default: its first success. */
  readonly statuses?: Readonly<Partial<Record<keyof ${handlers}, number>>>
  /** Handlers of single operations. They get the validated request. */
  readonly handlers?: Readonly<Partial<${handlers}<${env}>>>
}`,
    code`/**
 * Handlers for \`setupServer\` and \`setupWorker\`. A request that is not as the document has it
 * gets 400, 405, 413 or 415. Each other one gets the first example of the response, else a value of
 * its schema, as the media type that it accepts.
 */
export function createMocks({ baseUrl${known === undefined ? '' : code` = ${literal(known)}`}, seed = 1, statuses = {}, handlers = {} }: MockOptions${known === undefined ? '' : ' = {}'}): readonly ${symbol('HttpHandler', 'msw', { typeOnly: true })}[] {
  const mocks = { ...${symbol('buildMocks', './mock.js')}(${namespace('facts', './facts.js')}.operations, statuses, seed), ...handlers } as unknown as ${handlers}<${env}>
  return [${join(bases, ', ')}].map((base) =>
    ${symbol('createHandler', './mock.js')}(
      ${symbol('createServer', '#server')}<${env}>(mocks, {
        basePath: ${symbol('readBasePath', './mock.js')}(base),
        reject: ({ status, problems }, { env }) => {
          env.isUnknown = status === 404
          return Response.json({ problems }, { status })
        },
      }),
      base,
    ),
  )
}`,
  ]
}
