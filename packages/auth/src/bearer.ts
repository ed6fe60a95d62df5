import { withHeader, type Middleware } from '@farebox/middleware'
import { AuthError } from './auth-error.js'
import { admits, goesTo, originOf, sendGuarded } from './credentials.js'

export type BearerOptions = {
  /**
   * The only origin that gets the key; any URL of the service. Default: every call gets the key.
   */
  readonly origin?: string
}

/**
 * Sends `Authorization: Bearer KEY` with each call whose operation accepts an API key. A function
 * is called again for each attempt. A header that the caller set stays. Redirects are not followed
 * with the key. A key that is not valid in a header causes an AuthError `invalid_key`, whose
 * message does not show the key.
 */
export function bearer(key: string | (() => string | Promise<string>), options: BearerOptions = {}): Middleware {
  const origin = options.origin === undefined ? undefined : originOf(options.origin)
  return (next) => async (call) => {
    if ((origin && !goesTo(origin, call)) || !admits(call, 'BearerAuth')) return next(call)
    if (call.headers.has('authorization')) return sendGuarded(next, call)
    // no await for a static key
    let value: unknown = key
    if (typeof key === 'function') {
      try {
        value = await key()
      } catch (cause) {
        throw new AuthError('key_unavailable', 'bearer: the API key function failed', { cause })
      }
    }
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
      throw new AuthError('invalid_key', 'bearer: the API key is empty or has an invalid character')
    }
    return await sendGuarded(next, withHeader(call, 'authorization', `Bearer ${value}`))
  }
}
