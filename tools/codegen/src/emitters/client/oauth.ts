import { block, code, join, symbol, type Code } from '../../emit/code.js'
import { docComment, literal, propertyKey } from '../../emit/literal.js'
import type { Api, SecurityScheme } from '../../ir/api.js'
import { listUsedSchemes } from './credentials.js'

const importType = (name: string, module: string): Code => symbol(name, module, { typeOnly: true })

/** The schemes whose tokens a program gets for itself, by OAuth 2.0 client credentials. */
export function listClientSchemes(
  api: Api,
): readonly { readonly scheme: SecurityScheme; readonly tokenUrl: string }[] {
  return listUsedSchemes(api).flatMap((scheme) => {
    const tokenUrl = scheme.flows?.['clientCredentials']?.urls['tokenUrl']
    return tokenUrl === undefined ? [] : [{ scheme, tokenUrl }]
  })
}

/** The type of the OAuth clients of a document, and what requests their tokens. */
export function printOAuth(api: Api): readonly Code[] {
  const schemes = listClientSchemes(api)
  const send = importType('Send', './call.js')
  const options = importType('ClientCredentialsOptions', '@farebox/auth')
  return [
    code`/** A program that the authorization server knows. */
export type OAuthClient = Omit<${options}, 'origin' | 'tokenUrl'> & {
  /** Default: that of the document. */
  readonly tokenUrl?: string
}`,
    code`/** OAuth 2.0 clients by the security schemes of the document that have the flow of client credentials. */
export type OAuthClients = {
${join(schemes.map(printClientField), '\n')}
}`,
    code`/** Relative to the base URL. */
const tokenUrls = ${block(
      schemes.map(
        ({ scheme, tokenUrl }) => code`${propertyKey(scheme.name)}: ${literal(tokenUrl)}`,
      ),
      '{}',
    )}`,
    code`/**
 * Requests the tokens of these clients by \`fetch\`: with the first call that needs one, before it expires,
 * and once more after a 401 from the origin of \`baseUrl\`. \`credentials\` are what \`withCredentials\` takes,
 * around this \`send\`. \`secrets\` collects the secrets of the clients.
 */
export function withOAuth(send: ${send}, clients: OAuthClients = {}, { baseUrl, fetch, secrets }: { readonly baseUrl: string; readonly fetch?: typeof globalThis.fetch | undefined; readonly secrets: ${importType('Secrets', './secrets.js')} }): { readonly send: ${send}; readonly credentials: ${importType('Credentials', './credentials.js')} } {
  const credentials: Record<string, () => Promise<string>> = {}
  let renewed = send
  for (const name of Object.keys(tokenUrls) as (keyof typeof tokenUrls)[]) {
    const client = clients[name]
    if (client === undefined) continue
    ${symbol('remember', './secrets.js')}(secrets, [client.clientSecret])
    const given = client.tokenUrl ?? tokenUrls[name]
    const tokenUrl = URL.canParse(given, baseUrl) ? new URL(given, baseUrl).href : given
    const { token, middleware } = ${symbol('clientCredentials', '@farebox/auth')}({ origin: baseUrl, ...(fetch && { fetch }), ...client, tokenUrl })
    credentials[name] = token
    const next = renewed
    const renewing = middleware(next as Parameters<typeof middleware>[0]) as ${send}
    // other calls need no token
    renewed = (call) => (call.headers.has('authorization') ? renewing : next)(call)
  }
  return { send: renewed, credentials }
}`,
  ]
}

function printClientField({
  scheme,
  tokenUrl,
}: ReturnType<typeof listClientSchemes>[number]): Code {
  const scopes = Object.keys(scheme.flows?.['clientCredentials']?.scopes ?? {})
  const says = docComment(
    [
      `Its tokens come from \`${tokenUrl}\`.${scopes.length > 0 ? ` Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.` : ''}`,
      scheme.deprecated ? '@deprecated' : undefined,
    ],
    '  ',
  )
  return code`${says}  readonly ${propertyKey(scheme.name)}?: OAuthClient`
}
