import type { OAuthData } from '../contract/operation-data.js'

export type OAuthClient = {
  readonly id: string
  /** Only for the flow `clientCredentials`. */
  readonly secret: string
  /** Separated by spaces. */
  readonly scope: string
}

/** Pages of one reference, in all its windows. */
const channelName = 'farebox-docs-oauth'
const statePrefix = 'farebox-docs-'

/** Where the authorization server sends the reader back to: the start page of this reference. */
export function redirectUri(): string {
  return new URL('../index.html', location.href).href
}

/** Requests a token for the client itself (RFC 6749, section 4.4). */
export async function requestClientToken(
  { tokenUrl }: OAuthData,
  { id, secret, scope }: OAuthClient,
): Promise<string> {
  return requestToken(tokenUrl, {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    ...(scope !== '' && { scope }),
  })
}

/**
 * Signs the reader in at the authorization server, in a window of its own, and requests a token for
 * the code that it sends back (RFC 6749, section 4.1, with PKCE). Ends with the signal.
 */
export async function signIn(
  { authorizationUrl = '', tokenUrl }: OAuthData,
  { id, scope }: OAuthClient,
  signal: AbortSignal,
): Promise<string> {
  if (!isSecureContext)
    throw new Error('Signing in needs HTTPS or localhost: the browser computes no hash elsewhere.')
  // before anything is awaited, since browsers open windows only for a click
  const popup = open('about:blank', '_blank', 'popup,width=520,height=720')
  if (popup === null) throw new Error('The browser blocked the window of the authorization server.')
  popup.opener = null
  const [verifier, state] = [createRandomString(), `${statePrefix}${createRandomString()}`]
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const url = new URL(authorizationUrl)
  const parameters = {
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri(),
    state,
    code_challenge: toBase64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(scope !== '' && { scope }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const returned = awaitReturn(state, signal)
  popup.location.href = url.href
  const response = await returned
  const code = response.get('code')
  if (code === null)
    throw new Error(
      `The authorization server rejects the request: ${response.get('error_description') ?? response.get('error') ?? 'it sent no code'}.`,
    )
  return requestToken(tokenUrl, {
    grant_type: 'authorization_code',
    client_id: id,
    code,
    redirect_uri: redirectUri(),
    code_verifier: verifier,
  })
}

/** Passes the response of an authorization server to the waiting page, and closes the window. */
export function returnFromSignIn({ search }: Location): void {
  if (new URLSearchParams(search).get('state')?.startsWith(statePrefix) !== true) return
  const channel = new BroadcastChannel(channelName)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  channel.postMessage(search)
  channel.close()
  close()
}

async function awaitReturn(state: string, signal: AbortSignal): Promise<URLSearchParams> {
  const channel = new BroadcastChannel(channelName)
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('Signing in was cancelled.')))
      channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const response = new URLSearchParams(typeof data === 'string' ? data : '')
        // another page of this reference may sign in at the same time
        if (response.get('state') === state) resolve(response)
      })
    })
  } finally {
    channel.close()
  }
}

async function requestToken(
  tokenUrl: string,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const { host } = new URL(tokenUrl)
  const response = await fetch(tokenUrl, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { accept: 'application/json' },
  }).catch(() => undefined)
  if (response === undefined)
    throw new Error(`${host} did not respond, or does not allow requests of this page (CORS).`)
  const body = (await response.json().catch(() => ({}))) as Readonly<Record<string, unknown>>
  const { access_token: token, error_description: description, error = 'no access_token' } = body
  if (response.ok && typeof token === 'string') return token
  throw new Error(`${host} gave no token (${response.status}): ${String(description ?? error)}.`)
}

function createRandomString(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(32)))
}

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
