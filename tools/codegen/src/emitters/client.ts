import { code, join, sourceFile, type Code } from '../emit/code.js'
import type { Emitter } from '../emit/emitter.js'
import { literal } from '../emit/literal.js'
import { isForm } from '../emit/content.js'
import { hasBigints, holdsConverted } from '../emit/values/converted.js'
import type { Api, Operation } from '../ir/api.js'
import { findOwnServer, hasServers, listUsableServers } from '../ir/server-url.js'
import { uniqueNames } from '../ir/names.js'
import { printCredentials, listUsedSchemes } from './client/credentials.js'
import { printFacts } from './client/facts.js'
import { printFunctions, printMethods, type OperationGroup } from './client/methods.js'
import { printIndexFile, printServers, type Extras } from './client/index-file.js'
import { isLayer, printNetwork, networkOptions, type NetworkOption } from './client/network.js'
import { listClientSchemes, printOAuth } from './client/oauth.js'
import { hasHeaders, printResponseHeaders } from './client/response-headers.js'
import { printRevivers } from './client/values.js'

const runtime = [
  'accept-unexpected',
  'authorize',
  'beside',
  'bigint-values',
  'body',
  'bound',
  'call',
  'checked',
  'choice',
  'cookie-style',
  'date-values',
  'decode',
  'encode-form',
  'encode-items',
  'encode-parts',
  'encode-range',
  'encode-raw',
  'events',
  'exact-json',
  'fetch-send',
  'files',
  'format-name',
  'invalid-input-error',
  'json-items',
  'multipart',
  'nested',
  'parameters',
  'part-bytes',
  'parts',
  'perform',
  'querystring',
  'read-scalar',
  'response-headers',
  'resumed',
  'revive',
  'secrets',
  'sent-items',
  'serialize',
  'server-url',
  'stream',
  'temporal-values',
  'text',
  'unexpected-response-error',
  'validated',
  'xml-parts',
] as const

/** Where the platform's JSON would lose digits. */
const usesJson = /(?<!\.)\bJSON\.(?:parse|stringify)\b/

export type ClientOptions = {
  /**
   * Only operations: the surrounding code sets credentials and server, and results have no typed
   * headers. Default: false.
   */
  readonly bare?: boolean
  /**
   * Operations that send forms are in separate files, `form-facts.ts` and `form-functions.ts`,
   * which a package can load later. Default: false.
   */
  readonly formsApart?: boolean
  /**
   * What every call goes through, from the packages `@farebox/retry` and `@farebox/middleware`, and
   * `oauth`, from `@farebox/auth`. Default: only fetch.
   */
  readonly network?: readonly NetworkOption[]
}

/** A fetch client: one method for each operation. */
export function clientWith({
  bare = false,
  formsApart = false,
  network: chosen = [],
}: ClientOptions = {}): Emitter {
  const layers = chosen.filter(isLayer)
  return {
    name: 'client',
    converts: ['dates', 'int64'],
    needs: ['types'],
    into: 'packages/client/src/generated',
    runtime: [...runtime.map((name) => `client/${name}.ts`), '../src/formats/format-tests.ts'],
    runtimeByNeed: true,
    options: Object.fromEntries(networkOptions.map((option) => [option, ['off', 'on']])),
    configure: (options) =>
      clientWith({ network: networkOptions.filter((option) => options[option] === 'on') }),
    adapt: (api, text) =>
      hasBigints(api) && usesJson.test(text)
        ? `import { JSON } from './exact-json.js'\n${text}`
        : text,
    emit: (api) => {
      const extras = {
        ...(bare ? none : findExtras(api)),
        network: layers.length > 0,
        oauth: chosen.includes('oauth') && listClientSchemes(api).length > 0,
      }
      const groups = formsApart ? splitForms(api) : [{ prefix: '', operations: api.operations }]
      return [
        ...groups.flatMap(({ prefix, operations }) => {
          const group = { ...api, operations }
          return [
            sourceFile(`${prefix}facts.ts`, printFacts(group, createLocalNames(group), !bare)),
            sourceFile(
              `${prefix}functions.ts`,
              printFunctions(group, createLocalNames(group), extras, prefix),
            ),
          ]
        }),
        sourceFile('operations.ts', printMethods(api, extras, groups)),
        ...(formsApart ? [sourceFile('form-ids.ts', listFormIds(api))] : []),
        ...(api.schemas.some(({ schema }) => holdsConverted(api, schema))
          ? [sourceFile('values.ts', printRevivers(api))]
          : []),
        ...(extras.credentials ? [sourceFile('credentials.ts', printCredentials(api))] : []),
        ...(extras.oauth ? [sourceFile('oauth.ts', printOAuth(api))] : []),
        ...(extras.servers ? [sourceFile('servers.ts', printServers(api))] : []),
        ...(extras.headers ? [sourceFile('headers.ts', printResponseHeaders(api))] : []),
        ...(extras.network ? [sourceFile('network.ts', printNetwork(layers))] : []),
        sourceFile('index.ts', printIndexFile(api, extras)),
      ]
    },
  }
}

/** The operations without forms and those with forms, each with what its files begin with. */
function splitForms({ operations }: Api): readonly OperationGroup[] {
  const groups = [
    { prefix: '', operations: operations.filter((operation) => !sendsForm(operation)) },
    { prefix: 'form-', operations: operations.filter(sendsForm) },
  ]
  return groups.filter((group) => group.prefix === '' || group.operations.length > 0)
}

/** So that a package knows which operations it can load later. */
function listFormIds({ operations }: Api): readonly Code[] {
  const ids = operations.filter(sendsForm).map(({ id }) => literal(id))
  return [
    code`/** The operations that send forms. */\nexport const formIds = [${join(ids, ', ')}] as const`,
  ]
}

function sendsForm({ body }: Operation): boolean {
  return body?.contents.some(({ mediaType }) => isForm(mediaType)) ?? false
}

/** The output with all that its document describes. */
export const client: Emitter = clientWith()

type DocumentExtras = Omit<Extras, 'network' | 'oauth'>

const none: DocumentExtras = {
  credentials: false,
  servers: false,
  optionalBaseUrl: false,
  ownServers: false,
  headers: false,
}

function findExtras(api: Api): DocumentExtras {
  const optionalBaseUrl = hasServers(api)
  return {
    credentials: listUsedSchemes(api).length > 0,
    servers: optionalBaseUrl && listUsableServers(api).length > 0,
    optionalBaseUrl,
    ownServers: api.operations.some((operation) => findOwnServer(operation) !== undefined),
    headers: api.operations.some(hasHeaders),
  }
}

/**
 * A local name for an import that no operation has, for files that declare operations by name.
 */
function createLocalNames({ operations }: Api): (name: string) => string {
  const unique = uniqueNames(operations.map(({ id }) => id))
  const known = new Map<string, string>()
  return (name) => {
    const local = known.get(name) ?? unique(name)
    known.set(name, local)
    return local
  }
}
