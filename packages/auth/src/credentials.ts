import { discard, shownUrl, type Call, type Send } from '@farebox/middleware'
import { AuthError } from './errors.js'

export type OriginOptions = {
  /** Allows plain HTTP to other machines, which exposes credentials to the network. */
  readonly allowInsecureHttp?: boolean
}

/** Plain HTTP to anything but this machine (RFC 6761, section 6.3). */
const insecureOrigin = /^http:\/\/(?!((.+\.)?localhost|127[.\d]+|\[::1])(:|$))/

/**
 * The origin of a URL (scheme, host and port). Throws an AuthError: `invalid_origin`, or
 * `insecure_origin` for plain HTTP to another machine. Call it when a middleware is created, so
 * that a mistake is found before the first call.
 */
export function requireOrigin(address: string, options: OriginOptions): string {
  const origin = requireSecure(address, options)
  // any other scheme has another origin, or "null"
  if (origin.startsWith('http')) return origin
  throw new AuthError('invalid_origin', 'Auth: origin is not an http(s) URL')
}

/**
 * The origin of a URL, or "null". Throws an AuthError `insecure_origin` for plain HTTP to another
 * machine.
 *
 * @example
 * ```ts
 * requireSecure('https://api.example/api/v1', {}) // 'https://api.example'
 * ```
 */
export function requireSecure(address: string, { allowInsecureHttp }: OriginOptions): string {
  const origin = readOrigin(address)
  if (allowInsecureHttp || !insecureOrigin.test(origin)) return origin
  throw new AuthError(
    'insecure_origin',
    `Auth: ${origin} is plain HTTP; use https or allowInsecureHttp`,
  )
}

/** The origin of a URL, or "null". */
export function readOrigin(address: string): string {
  try {
    return new URL(address).origin
  } catch {
    return 'null'
  }
}

/** Whether the operation of a call accepts the scheme. Without an operation, any is accepted. */
export function acceptsScheme({ operation }: Call, scheme: 'BearerAuth' | 'siwx'): boolean {
  return !operation || operation.security.flat().includes(scheme)
}

/** The statuses of redirects. A browser hides them as 0. */
const redirectStatus = /^(0|30[12378])$/

/**
 * Sends a call with credentials without following redirects: fetch would forward every header
 * except Authorization to the target. A redirect becomes an AuthError, unless the caller set
 * `redirect: 'manual'` or `'error'`.
 */
export async function sendGuarded(next: Send, call: Call): Promise<Response> {
  const { init } = call
  if ((init?.redirect ?? 'follow') !== 'follow') return next(call)
  // in V8 a key that is added to a spread costs ten times the assignment
  const response = await next(
    Object.assign({}, call, { init: { ...init, redirect: 'manual' as const } }),
  )
  if (!redirectStatus.test(`${response.status}`)) return response
  await discard(response)
  throw new AuthError(
    'redirect_refused',
    `${call.method} ${shownUrl(call.url)} redirects; credentials do not follow; use the final URL`,
  )
}
