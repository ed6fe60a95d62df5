import { block, code, join, symbol, type Code } from '../../emit/code.js'
import { docComment, literal, propertyKey } from '../../emit/literal.js'
import { printStreamExports } from '../../emit/content.js'
import type { Api, Server } from '../../ir/api.js'
import { fillVariables, listUsableServers } from '../../ir/server-url.js'

/** The features that the document needs from its client, apart from operations. */
export type Extras = {
  readonly credentials: boolean
  /** The document names servers that can be chosen. */
  readonly servers: boolean
  /** Every operation has a server, so that no base URL is needed. */
  readonly optionalBaseUrl: boolean
  /** Operations have their own servers. */
  readonly ownServers: boolean
  /** Responses declare headers. */
  readonly headers: boolean
  /** Calls go through layers between client and fetch. */
  readonly network: boolean
  /** The client requests tokens of OAuth 2.0. */
  readonly oauth: boolean
}

const importType = (name: string, module: string): Code => symbol(name, module, { typeOnly: true })

/** The entry of a client. */
export function printIndexFile(api: Api, extras: Extras): readonly Code[] {
  const { title } = api
  const streams = printStreamExports(api)
  return [
    code`export * from './operations.js'
export { acceptUnexpected, type Accepting, type Unexpected } from './accept-unexpected.js'
export type { Call, CallOptions, Failure, OperationFacts,${api.operations.some(({ payment }) => payment) && ' PaidCallOptions,'} Send, Success } from './call.js'
export type { Context } from './perform.js'
export { fetchSend } from './fetch-send.js'
export type { FileInput, StreamSource } from './files.js'
export { InvalidInputError } from './invalid-input-error.js'
export { UnexpectedResponseError, type UnexpectedResponseReason } from './unexpected-response-error.js'${extras.credentials && credentialExports}${extras.servers && serverExports}${extras.ownServers && "\nexport type { ServedContext } from './server-url.js'"}${extras.network && networkExports}${extras.oauth && oauthExports}`,
    ...streams,
    code`export type ClientOptions = {
${printBaseUrlOption(api, extras)}${extras.servers && printServerOption()}${extras.ownServers && ownServersOption}${extras.credentials && printCredentialOption()}${extras.oauth && printOAuthOption()}${extras.network && printNetworkOption()}  /** Default: the global fetch of the moment of the call. */
  readonly fetch?: typeof globalThis.fetch
  /** What every call goes through instead of fetch. */
  readonly send?: ${importType('Send', './call.js')}
  /**
   * The largest body of JSON or text that is taken, in bytes. Default 64 MiB. Binary responses have
   * no limit.${streams.length > 0 && ' Each item of a stream has this limit.'}
   */
  readonly maxResponseBytes?: number
}`,
    code`/**
 * With \`unexpected: acceptUnexpected\` a status or a media type that the contract does not declare,
 * and an empty body, are results, which have the field \`unexpected\`. Default: they are thrown.
 */
export type AcceptingOptions = ClientOptions & { readonly unexpected: typeof ${symbol('acceptUnexpected', './accept-unexpected.js', { typeOnly: true })} }`,
    code`${docComment([`${title}: one method for each operation.`])}export type Client = ${importType('Operations', './operations.js')}`,
    printCreateClient(extras),
  ]
}

const credentialExports = `
export { withCredentials, type Credentials } from './credentials.js'
export { MissingCredentialsError } from './authorize.js'`

const networkExports = `
export { withNetwork, type NetworkOptions } from './network.js'`

const oauthExports = `
export { withOAuth, type OAuthClient, type OAuthClients } from './oauth.js'`

const serverExports = `
export { serverUrl, type Server } from './servers.js'`

function printBaseUrlOption(
  { servers: [server] }: Api,
  { optionalBaseUrl, servers }: Extras,
): Code {
  if (!optionalBaseUrl)
    return code`${docComment(['What every path is appended to.', server && `@example ${fillVariables(server)}`], '  ')}  readonly baseUrl: string
`
  return code`  /**
   * What every path is appended to, also of operations with servers of their own.
   * Default: ${servers ? '`server`' : 'those servers'}.
   */
  readonly baseUrl?: string
`
}

function printServerOption(): Code {
  return code`  /** Where calls go without a \`baseUrl\`. Default: the first. */
  readonly server?: ${importType('Server', './servers.js')}
`
}

const ownServersOption = `  /**
   * Whether operations with servers of their own go there.
   * Default: true without a \`baseUrl\`, else false.
   */
  readonly ownServers?: boolean
`

function printCredentialOption(): Code {
  return code`  /**
   * Each call is sent with the credentials of the first requirement of its operation that is met,
   * and without any where it admits anybody and none is met. Else it is not sent, and throws
   * \`MissingCredentialsError\`. A call with a credential follows no redirect.
   * No error shows a credential. Default: credentials are the caller's own affair.
   */
  readonly credentials?: ${importType('Credentials', './credentials.js')}
`
}

function printOAuthOption(): Code {
  return code`  /**
   * OAuth 2.0 clients, which get the tokens that calls need by \`fetch\`. A token is kept until it is
   * about to expire. After a 401 from the origin of the base URL the call is sent once more, with another one.
   */
  readonly oauth?: ${importType('OAuthClients', './oauth.js')}
`
}

function printNetworkOption(): Code {
  return code`  /** How calls survive a network. Default: as each part says. */
  readonly network?: ${importType('NetworkOptions', './network.js')}
`
}

function printCreateClient(extras: Extras): Code {
  const { optionalBaseUrl, servers, ownServers, credentials, oauth, network } = extras
  const options = [
    'baseUrl',
    servers && 'server',
    ownServers && 'ownServers = baseUrl === undefined',
    credentials && 'credentials',
    oauth && 'oauth',
    network && 'network',
    'fetch',
    code`send = ${symbol('fetchSend', './fetch-send.js')}(fetch)`,
    'maxResponseBytes',
    'unexpected',
  ].filter((option) => option !== false)
  const list = options.reduce<Code>(
    (all, option, index) => code`${all}${index > 0 && ', '}${option}`,
    code``,
  )
  const accepting = importType('Accepting', './accept-unexpected.js')
  return code`export function createClient(options: AcceptingOptions): ${accepting}<Client>
export function createClient(options${optionalBaseUrl && '?'}: ClientOptions): Client
export function createClient({ ${list} }: ClientOptions & Partial<AcceptingOptions>${optionalBaseUrl && ' = {}'}): never {
${credentials ? printSignedClient(extras) : code`  return ${printOperations(printSend('send', extras), extras)} as never`}
}`
}

/** The layers are around the credentials, which are then asked for before each attempt. */
function printSend(send: string, { network }: Extras, isValue = false): Code {
  if (!network) return code`${send}`
  return code`${!isValue && 'send: '}${symbol('withNetwork', './network.js')}(${send}, network)`
}

function printOperations(send: Code, extras: Extras): Code {
  const { ownServers } = extras
  return code`${symbol('createOperations', './operations.js')}({ ${printBaseUrl(extras)}, ${ownServers && 'ownServers, '}${send}, unexpected, ...(maxResponseBytes !== undefined && { maxResponseBytes }) })`
}

function printBaseUrl({ optionalBaseUrl, servers }: Extras): Code {
  const base = servers
    ? code`: baseUrl ?? ${symbol('serverUrl', './servers.js')}(server)`
    : optionalBaseUrl
      ? code`: baseUrl ?? ''`
      : code``
  return code`baseUrl${base}`
}

function printSignedClient(extras: Extras): Code {
  const withCredentials = symbol('withCredentials', './credentials.js')
  const signed = extras.oauth
    ? code`  const renewed = ${symbol('withOAuth', './oauth.js')}(send, oauth, { ${printBaseUrl(extras)}, fetch, secrets })
  const signed = ${withCredentials}(renewed.send, { ...credentials, ...renewed.credentials }, secrets)`
    : code`  const signed = ${withCredentials}(send, credentials, secrets)`
  return code`  if (credentials === undefined${extras.oauth && ' && oauth === undefined'}) return ${printOperations(printSend('send', extras), extras)} as never
  const secrets: ${importType('Secrets', './secrets.js')} = new Set()
${signed}
  return ${symbol('cleanMethodErrors', './secrets.js')}(${printOperations(code`send: ${printSend('signed', extras, true)}`, extras)}, secrets) as never`
}

/** The type of the servers, and the function that returns the URL of one. */
export function printServers(api: Api): readonly Code[] {
  const known = listUsableServers(api)
  const varies = known.some(({ variables }) => Object.keys(variables).length > 0)
  const facts = known.map(({ url, name, variables }) => {
    const defaults = Object.fromEntries(
      Object.entries(variables).map(([variable, { default: value }]) => [variable, value]),
    )
    return literal({
      url,
      ...(name !== undefined && { name }),
      ...(Object.keys(defaults).length > 0 && { variables: defaults }),
    })
  })
  return [
    code`/** A server of the document, by its name or else its URL, with other values of its variables. */
export type Server =
${join(
  known.map((server) => printServerMember(server, varies)),
  '\n',
)}`,
    code`const servers: readonly ${symbol('ServerFacts', './server-url.js', { typeOnly: true })}[] = ${block(facts, '[]')}`,
    code`/** The URL of a server. Default: the first, with the defaults of its variables. */
export function serverUrl(server?: Server): string {
  return ${symbol('resolveServerUrl', './server-url.js')}(servers, server)
}`,
  ]
}

/** `varies`: another one may have variables, which this one then has not. */
function printServerMember(server: Server, varies: boolean): Code {
  const { name, url, description, variables } = server
  const fields = Object.entries(variables).map(
    ([variable, { values, default: standard, description: says }]) =>
      code`${docComment([says, `Default: \`${standard}\`.`], '      ')}      readonly ${propertyKey(variable)}?: ${values.length === 0 ? 'string' : join(values.map(literal), ' | ')}`,
  )
  const choices = code`{
${join(fields, '\n')}
    }`
  const variable =
    varies && code`\n    readonly variables?: ${fields.length === 0 ? 'never' : choices}`
  const key = name === undefined ? code`url: ${literal(url)}` : code`name: ${literal(name)}`
  return code`  | {
${docComment([description], '    ')}    readonly ${key}${variable}
  }`
}
