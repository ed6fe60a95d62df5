import { code, join, symbol, type Code } from '../../emit/code.js'
import { docComment, literal, propertyKey } from '../../emit/literal.js'
import type { Api, SecurityScheme } from '../../ir/api.js'

type Piece = 'basic' | 'byConnection' | 'inAuthorization' | 'inCookie' | 'inHeader' | 'inQuery'

const importPiece = (name: Piece): Code => symbol(name, './authorize.js')
const importType = (name: string, module: string): Code => symbol(name, module, { typeOnly: true })

/** The schemes that operations require and that a client supports. */
export function listUsedSchemes({ securitySchemes, operations }: Api): readonly SecurityScheme[] {
  const used = new Set(operations.flatMap(({ security }) => security.flat()))
  return securitySchemes.filter(
    (scheme) => used.has(scheme.name) && printCredentialWriter(scheme) !== undefined,
  )
}

/** The type of the credentials, and what adds them to a call. */
export function printCredentials(api: Api): readonly Code[] {
  const schemes = listUsedSchemes(api)
  const fields = schemes.map(
    (scheme) =>
      code`${docComment([describeScheme(scheme), scheme.deprecated ? '@deprecated' : undefined], '  ')}  readonly ${propertyKey(scheme.name)}?: ${printCredentialType(scheme)}`,
  )
  const writers = schemes.map(
    (scheme) => code`  ${propertyKey(scheme.name)}: ${printCredentialWriter(scheme)},`,
  )
  const send = importType('Send', './call.js')
  const secrets = importType('Secrets', './secrets.js')
  return [
    code`/** Credentials by the security schemes of the document. */
export type Credentials = {
${join(fields, '\n')}
}`,
    code`const schemes = {
${join(writers, '\n')}
}`,
    code`/**
 * Sends each call with the credentials that its operation asks for. Throws
 * \`MissingCredentialsError\` where they are not given. A call with a credential follows no
 * redirect. \`secrets\` collects what is sent of them.
 */
export function withCredentials(send: ${send}, credentials: Credentials, secrets: ${secrets} = new Set()): ${send} {
  return ${symbol('authorizeCalls', './authorize.js')}(send, schemes, credentials, secrets)
}`,
  ]
}

function printCredentialType({ kind, scheme }: SecurityScheme): Code {
  if (kind === 'mutualTLS') return code`boolean`
  const credential = importType('Credential', './authorize.js')
  return kind === 'http' && isBasic(scheme)
    ? code`${credential}<${importType('UserAndPassword', './authorize.js')}>`
    : credential
}

function printCredentialWriter({
  kind,
  scheme = 'bearer',
  in: place,
  parameter,
}: SecurityScheme): Code | undefined {
  if (kind === 'mutualTLS') return importPiece('byConnection')
  if (kind === 'apiKey') {
    if (place === undefined || parameter === undefined) return undefined
    return code`${importPiece(({ header: 'inHeader', query: 'inQuery', cookie: 'inCookie' } as const)[place])}(${literal(parameter)})`
  }
  if (kind === 'http' && isBasic(scheme)) return importPiece('basic')
  return code`${importPiece('inAuthorization')}(${literal(kind !== 'http' || /^bearer$/i.test(scheme) ? 'Bearer' : scheme)})`
}

function isBasic(scheme: string | undefined): boolean {
  return /^basic$/i.test(scheme ?? '')
}

function describeScheme({
  kind,
  scheme = 'bearer',
  in: place,
  parameter,
  description,
}: SecurityScheme): string {
  const what = {
    apiKey: `The ${place} \`${parameter}\`.`,
    http: isBasic(scheme)
      ? 'A user and a password, for HTTP Basic.'
      : `What follows \`${scheme}\` in \`Authorization\`.`,
    oauth2: 'An access token of OAuth 2.0.',
    openIdConnect: 'An access token of OpenID Connect.',
    mutualTLS: 'Whether the connection has a certificate of the client. That is set up in `fetch`.',
  }[kind]
  return description === undefined ? what : `${what}\n\n${description}`
}
