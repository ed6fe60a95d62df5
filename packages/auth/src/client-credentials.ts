import {
  discard,
  isRecord,
  isResendable,
  readStart,
  untilAborted,
  withHeader,
  type Middleware,
} from '@farebox/middleware'
import { requireOrigin, sendGuarded, readOrigin, type OriginOptions } from './credentials.js'
import { parseJson } from './encoding.js'
import { AuthError, describeThrown, hideSecrets } from './errors.js'

export type ClientCredentialsOptions = OriginOptions & {
  /** Any URL of the API. Only calls to its origin get the token. */
  readonly origin: string
  /** The token endpoint, as `tokenUrl` of the security scheme names it. */
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** The requested scopes, separated by spaces. Default: those of the authorization server. */
  readonly scope?: string
  /** Further parameters of the token request, such as `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Where the client authenticates (RFC 6749, section 2.3.1). Default: the header. */
  readonly clientAuthentication?: 'header' | 'body'
  /** Sends token requests. Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export type ClientCredentials = {
  /** The current access token. Requests one when there is none, or when it is about to expire. */
  readonly token: () => Promise<string>
  /**
   * Sends the token with each call to the origin. After a 401 the token is requested anew, and the
   * call is sent once more if its body can be. A header that the caller set is kept, unless it has
   * the token of `token`.
   */
  readonly middleware: Middleware
}

/**
 * Signs calls in by OAuth 2.0 client credentials (RFC 6749, section 4.4). The token is requested
 * with the first call, kept in memory until 30 seconds before it expires, and shared by all calls:
 * those that arrive during a token request wait for the same one. A token without `expires_in` is
 * used until a 401. The credentials do not follow redirects.
 *
 * A token request that fails is an AuthError `token_unavailable` with the reason of the
 * authorization server. The next call requests a token again.
 *
 * @example
 * ```ts
 * const { middleware } = clientCredentials({ origin, tokenUrl, clientId, clientSecret })
 * const signedFetch = withMiddleware(fetch, retry(), middleware)
 * ```
 */
export function clientCredentials(options: ClientCredentialsOptions): ClientCredentials {
  const { now = Date.now } = options
  const origin = requireOrigin(options.origin, options)
  requireOrigin(options.tokenUrl, options)
  let current: Token | undefined
  /** The last two tokens: a call may start with one that another call has just replaced. */
  let issued: readonly string[] = []
  let requested: Promise<Token> | undefined

  const token = async (): Promise<string> => {
    if (current && now() < current.useUntil) return current.value
    requested ??= requestToken(options, now).finally(() => (requested = undefined))
    current = await requested
    if (issued[0] !== current.value) issued = [current.value, ...issued.slice(0, 1)]
    return current.value
  }

  return {
    token,
    middleware: (next) => async (call) => {
      const authorization = call.headers.get('authorization')
      if (readOrigin(call.url) !== origin) return next(call)
      if (authorization !== null && !issued.some((value) => authorization === `Bearer ${value}`))
        return sendGuarded(next, call)
      const send = async () => {
        const value = await untilAborted(token(), call.signal)
        const response = await sendGuarded(
          next,
          withHeader(call, 'authorization', `Bearer ${value}`),
        )
        return { value, response }
      }
      const first = await send()
      if (first.response.status !== 401) return first.response
      // the server no longer accepts it; another call may have replaced it already
      if (current?.value === first.value) current = undefined
      if (!isResendable(call)) return first.response
      await discard(first.response)
      return (await send()).response
    },
  }
}

type Token = { readonly value: string; readonly useUntil: number }

/** A token is replaced so long before it expires, or at half of its life if that is shorter. */
const leewayMs = 30_000

async function requestToken(
  {
    tokenUrl,
    clientId,
    clientSecret,
    scope,
    parameters,
    clientAuthentication = 'header',
    fetch = globalThis.fetch,
  }: ClientCredentialsOptions,
  now: () => number,
): Promise<Token> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...parameters })
  if (scope !== undefined) form.set('scope', scope)
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  })
  if (clientAuthentication === 'header')
    headers.set(
      'authorization',
      `Basic ${btoa(`${encodeFormValue(clientId)}:${encodeFormValue(clientSecret)}`)}`,
    )
  else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  const { origin, pathname } = new URL(tokenUrl)
  const createTokenError = (why: string, cause?: unknown) =>
    new AuthError(
      'token_unavailable',
      `clientCredentials: ${origin}${pathname} gave no token (${why})`,
      cause === undefined ? {} : { cause },
    )
  // the lifetime counts from the request: the server issued the token later
  const requestedAt = now()
  let response: Response
  try {
    response = await fetch(tokenUrl, {
      method: 'POST',
      headers,
      body: form.toString(),
      redirect: 'manual',
    })
  } catch (cause) {
    throw createTokenError(describeThrown(cause), cause)
  }
  const { text, reader } = await readStart(response, 65_536)
  await reader?.cancel().catch(() => undefined)
  const document = parseJson(text)
  const body = isRecord(document) ? document : {}
  const { access_token: value, token_type: type, expires_in: expiresIn } = body
  if (!response.ok) throw createTokenError(describeRejection(response.status, body))
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value))
    throw createTokenError('the response has no access_token')
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw createTokenError(
      `found token_type ${hideSecrets(JSON.stringify(type))}, expected "Bearer"`,
    )
  // some servers send the seconds as a string, or null for a token without an end
  const lifeMs = Number(expiresIn ?? Infinity) * 1000
  if (!(lifeMs >= 0)) throw createTokenError('expires_in is not a number of seconds')
  return { value, useUntil: requestedAt + lifeMs - Math.min(leewayMs, lifeMs / 2) }
}

/** The reason of an authorization server (RFC 6749, section 5.2), on one short line. */
function describeRejection(status: number, body: Readonly<Record<string, unknown>>): string {
  const reasons = [body['error'], body['error_description']].filter(
    (reason): reason is string => typeof reason === 'string' && reason !== '',
  )
  const reason = hideSecrets(reasons.join(': ').replace(/[^\x20-\x7e]/g, ' ')).slice(0, 200)
  return reason === '' ? `status ${status}` : `status ${status}, ${reason}`
}

/** The encoding of a form, which the header of a client has for both of its parts. */
function encodeFormValue(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
