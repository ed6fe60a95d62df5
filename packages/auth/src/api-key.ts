import { withHeader, type Middleware } from '@farebox/middleware'
import { AuthError, describeThrown } from './errors.js'
import {
  acceptsScheme,
  readOrigin,
  requireOrigin,
  requireSecure,
  sendGuarded,
  type OriginOptions,
} from './credentials.js'

// `@farebox/auth/api-key`: everything for callers with an API key, without the wallet code. A
// bundler that splits `@farebox/auth` may keep the whole package even if one name is used.
export { AuthError, type AuthErrorCode } from './errors.js'
export { requireSecure, type OriginOptions } from './credentials.js'
export { PaymentError, type PaymentErrorCode } from './errors.js'

export type BearerOptions = OriginOptions & {
  /**
   * Any URL of the service. Only calls to its origin get the key. Default: every call.
   */
  readonly origin?: string
}

/**
 * Sends `Authorization: Bearer KEY` with each call whose operation accepts an API key. A function
 * is called again for each attempt. A header that the caller set is kept. Redirects are not
 * followed with the key. A key that is not valid in a header causes an AuthError `invalid_key`,
 * whose message does not contain the key. Plain HTTP to another machine causes an AuthError
 * `insecure_origin`.
 *
 * @param key the key, or a function that returns the current one
 * @example
 * ```ts
 * const keyedFetch = withMiddleware(fetch, bearer(process.env.FAREBOX_API_KEY ?? '', { origin }))
 * ```
 */
export function bearer(
  key: string | (() => string | Promise<string>),
  options: BearerOptions = {},
): Middleware {
  const origin = options.origin === undefined ? undefined : requireOrigin(options.origin, options)
  return (next) => async (call) => {
    if ((origin && readOrigin(call.url) !== origin) || !acceptsScheme(call, 'BearerAuth'))
      return next(call)
    if (!origin) requireSecure(call.url, options)
    if (call.headers.has('authorization')) return sendGuarded(next, call)
    let value: unknown = key
    try {
      // no await for a static key
      if (typeof key === 'function') value = await key()
    } catch (cause) {
      throw new AuthError(
        'key_unavailable',
        `bearer: the API key function failed (${describeThrown(cause)})`,
        { cause },
      )
    }
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      throw new AuthError('invalid_key', 'bearer: the API key is not visible ASCII of one line')
    }
    return sendGuarded(next, withHeader(call, 'authorization', `Bearer ${value}`))
  }
}
