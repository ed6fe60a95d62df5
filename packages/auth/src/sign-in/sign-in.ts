import { discard, isResendable, withHeader, type Middleware } from '@farebox/middleware'
import { AuthError } from '../errors.js'
import { isWithin, createServerClock } from '../clock.js'
import { createSiwxHeader } from './create-siwx-header.js'
import {
  acceptsScheme,
  readOrigin,
  requireOrigin,
  sendGuarded,
  type OriginOptions,
} from '../credentials.js'
import { readText } from '../encoding.js'
import type { WalletSigner } from '../signers/signer.js'

export type SignInOptions = OriginOptions & {
  /** Any URL of the service. Another origin never gets a signature. */
  readonly origin: string
  /** The name in the signed statement, `Sign in to Farebox API`. Default "Farebox". */
  readonly serviceName?: string
  /** The whole statement, for a service that uses another one. */
  readonly statement?: string
  /** The domain in the message. Default: the host of `origin`, with its port. */
  readonly domain?: string
  /** The URI in the message. Default: `origin`. */
  readonly uri?: string
  /** Default SIGN-IN-WITH-X; the legacy name is X-Sign-In-With-X. */
  readonly headerName?: string
  /**
   * Reuse a signature until 80 % of its lifetime, for a wallet that prompts for each signature.
   * Default: false, one signature for each attempt.
   */
  readonly reuse?: boolean
  /**
   * Called once if `reuse` is set, and the service rejects a signature that was used before. From
   * then on each attempt has a new signature, and the wallet may prompt each time.
   */
  readonly onReuseRejected?: (() => void) | undefined
  readonly lifetimeMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** At least 8 letters or digits, different each time. */
  readonly nonce?: () => string
}

type SignIn = {
  readonly header: Promise<string>
  readonly isFresh: () => boolean
  accepted?: boolean
}

/**
 * Signs in each call to the service with a wallet (header SIGN-IN-WITH-X), if its operation accepts
 * that.
 *
 * Each attempt has a new signature, because a service may reject a used nonce. After a 401 the
 * call is signed and sent once more, with the time of the response's Date if it is at most 15
 * minutes from ours. A second 401 from a service whose clock is further away is an AuthError
 * `clock_mismatch`. With `reuse`, parallel calls share one signature for 80 % of its lifetime, by
 * elapsed time and by our own clock, and share its replacement after a 401. If the service rejects
 * a signature that it accepted before, or reports a reused nonce, one warning is printed, and each
 * later attempt has a new signature. Redirects are not followed.
 *
 * @example
 * ```ts
 * const signedFetch = withMiddleware(fetch, signIn(signer, { origin: 'https://api.example' }))
 * await signedFetch(`https://api.example/api/v1/x402/balance/${signer.address}`)
 * ```
 */
export function signIn(signer: WalletSigner, options: SignInOptions): Middleware {
  const { headerName = 'SIGN-IN-WITH-X', lifetimeMs = 600_000 } = options
  const origin = requireOrigin(options.origin, options)
  const localNow = options.now ?? Date.now
  const clock = createServerClock(localNow)
  const message = {
    domain: options.domain ?? new URL(origin).host,
    uri: options.uri ?? origin,
    statement: options.statement ?? `Sign in to ${options.serviceName ?? 'Farebox'} API`,
    lifetimeMs,
    now: clock.now,
    nonce: options.nonce,
  }
  let reuse = options.reuse ?? false
  let current: SignIn | undefined

  const signIn = (): SignIn => {
    if (reuse && current?.isFresh()) return current
    const fresh: SignIn = {
      header: createSiwxHeader(signer, message),
      isFresh: isWithin(0.8 * lifetimeMs, localNow),
    }
    current = fresh
    // do not keep a failed signature
    fresh.header.catch(() => forget(fresh))
    return fresh
  }
  /** Warns, because otherwise the option would silently have no effect. */
  const endReuse = () => {
    if (!reuse) return
    reuse = false
    // oxlint-disable-next-line no-console -- once, for users without `onReuseRejected`
    console.warn(
      'Sign-in: the service accepts each signature only once, so `reuse` has no effect. A Farebox service needs --allow-nonce-reuse',
    )
    options.onReuseRejected?.()
  }
  const forget = (attempt: SignIn) => {
    if (current === attempt) current = undefined
  }

  return (next) => async (call) => {
    if (readOrigin(call.url) !== origin || !acceptsScheme(call, 'siwx')) return next(call)
    if (call.headers.has(headerName)) return sendGuarded(next, call)
    let clockFault: string | undefined
    const send = async () => {
      const attempt = signIn()
      const response = await sendGuarded(next, withHeader(call, headerName, await attempt.header))
      clockFault = clock.learn(response)
      if (response.status === 401) {
        if (attempt.accepted) endReuse()
        forget(attempt)
      } else if (response.ok) attempt.accepted = true
      return response
    }
    let response = await send()
    if (response.status === 401 && isResendable(call) && !call.signal?.aborted) {
      // other calls with the shared signature may still succeed after this 401
      if (!reuse) await discard(response)
      else if (reusedNonce.test(await readText(response))) endReuse()
      response = await send()
    }
    if (response.status !== 401 || !clockFault) return response
    await discard(response)
    throw new AuthError('clock_mismatch', `Sign-in: rejected, and ${clockFault}`)
  }
}

/** How services report a reused nonce, such as the code X402_SIGN_IN_NONCE_REUSED. */
const reusedNonce = /nonce.{0,16}(?:use|replay)/i
