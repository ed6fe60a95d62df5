import { code, symbol, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { docComment } from '../emit/literal.js'
import { sourceFile } from '../emit/source-file.js'
import type { Api } from '../ir/api.js'
import { uniqueNames } from '../ir/names.js'
import { facts } from './client/facts.js'
import { functions } from './client/functions.js'
import { methods } from './client/methods.js'

const runtime = [
  'body',
  'bound',
  'call',
  'decode',
  'fetch-send',
  'files',
  'invalid-input-error',
  'multipart',
  'parameters',
  'perform',
  'read-body',
  'serialize',
  'text',
  'unexpected-response-error',
] as const

/** A fetch client: one method for each operation. */
export const client: Emitter = {
  name: 'client',
  into: 'packages/client/src/generated',
  runtime: runtime.map((name) => `client/${name}.ts`),
  runtimeByNeed: true,
  emit: (api) => [
    sourceFile('facts.ts', facts(api, localNames(api))),
    sourceFile('functions.ts', functions(api, localNames(api))),
    sourceFile('operations.ts', methods(api)),
    sourceFile('index.ts', index(api)),
  ],
}

/**
 * For a name of another module one that no operation has, in a file where operations are declared
 * by their own names.
 */
function localNames({ operations }: Api): (name: string) => string {
  const unique = uniqueNames(operations.map(({ id }) => id))
  const known = new Map<string, string>()
  return (name) => {
    const local = known.get(name) ?? unique(name)
    known.set(name, local)
    return local
  }
}

const fromRuntime = (name: string, file: (typeof runtime)[number], typeOnly = false): Code => symbol(name, `./${file}.js`, { typeOnly })

function index(api: Api): readonly Code[] {
  const { title, servers } = api
  const [server] = servers
  const example = server?.url.replaceAll(/\{([^}]+)\}/g, (whole, name: string) => server.variables[name] ?? whole)
  const operations = symbol('Operations', './operations.js', { typeOnly: true })
  return [
    code`export * from './operations.js'
export type { Call, CallOptions, Failure, OperationFacts, Send, Success } from './call.js'
export type { Context } from './perform.js'
export type { FileInput, StreamSource } from './files.js'
export { InvalidInputError } from './invalid-input-error.js'
export { UnexpectedResponseError, type UnexpectedResponseReason } from './unexpected-response-error.js'`,
    code`export type ClientOptions = {
${docComment(['What every path is appended to.', example && `@example ${example}`], '  ')}  readonly baseUrl: string
  /** Default: the global fetch of the moment of the call. */
  readonly fetch?: typeof globalThis.fetch
  /** What every call goes through instead of fetch. */
  readonly send?: ${fromRuntime('Send', 'call', true)}
  /**
   * The largest body of JSON or text that is taken, in bytes. Default 64 MiB. Binary answers have
   * no limit.
   */
  readonly maxResponseBytes?: number
}`,
    code`${docComment([`${title}: one method for each operation.`])}export type Client = ${operations}`,
    code`export function createClient({ baseUrl, fetch, send = ${fromRuntime('fetchSend', 'fetch-send')}(fetch), maxResponseBytes }: ClientOptions): Client {
  return ${symbol('createOperations', './operations.js')}({ baseUrl, send, ...(maxResponseBytes !== undefined && { maxResponseBytes }) })
}`,
  ]
}
