import { discard, type Call, type Send } from '@farebox/middleware'
import { AuthError } from './auth-error.js'

/**
 * The origin of a URL (scheme, host and port). Throws an AuthError `invalid_origin`. Call it when a
 * middleware is created, so that a mistake shows before the first call.
 */
export function originOf(address: string): string {
  const origin = originIn(address)
  if (/^https?:/.test(origin)) return origin
  throw new AuthError('invalid_origin', 'Auth: "origin" is not an http or https address')
}

/** Whether a call goes to the origin. */
export function goesTo(origin: string, call: Call): boolean {
  return originIn(call.url) === origin
}

/** "null" for a URL without an origin. */
function originIn(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'null'
}

/** Whether the operation of a call accepts the scheme. Without an operation, any is accepted. */
export function admits({ operation }: Call, scheme: 'BearerAuth' | 'siwx'): boolean {
  return !operation || operation.security.some((set) => set.includes(scheme))
}

const redirect = /^30[12378]$/

/**
 * Sends a call that carries credentials without following redirects: fetch would send every header
 * except Authorization on to the target. A redirect becomes an AuthError, unless the caller asked
 * for `redirect: 'manual'` or `'error'`.
 */
export async function sendGuarded(next: Send, call: Call): Promise<Response> {
  if (/^(manual|error)$/.test(`${call.init?.redirect}`)) return next(call)
  // in V8 a key that is added to a spread costs ten times the assignment
  const response = await next(Object.assign({}, call, { init: { ...call.init, redirect: 'manual' as const } }))
  if (response.type !== 'opaqueredirect' && !redirect.test(`${response.status}`)) return response
  await discard(response)
  // the query of a URL may hold secrets
  throw new AuthError(
    'redirect_refused',
    `${call.method} ${call.url.replace(/[?#].*$/s, '')} redirects, and credentials do not follow; use the final address`,
  )
}
