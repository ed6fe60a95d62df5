import { discard, isResendable, withHeader, type Middleware } from '@farebox/middleware'
import { AuthError } from '../auth-error.js'
import { lasting, serverClock } from '../clock.js'
import { createSiwxHeader } from './create-siwx-header.js'
import { admits, originIn, originOf, sendGuarded, type OriginOptions } from '../credentials.js'
import { readText } from '../read-body.js'
import type { WalletSigner } from '../signers/signer.js'

export type SiwxOptions = OriginOptions & {
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
   * Reuse a signature until 80 % of its lifetime, for a wallet that asks a person each time.
   * Default: false, one signature for each attempt.
   */
  readonly reuse?: boolean
  /**
   * Called once if `reuse` is set, and the service refuses a signature that was used before. From
   * then on each attempt is signed afresh, which asks a person each time.
   */
  readonly onReuseRefused?: (() => void) | undefined
  readonly lifetimeMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** At least 8 letters or digits, different each time. */
  readonly nonce?: () => string
}

type SignIn = { readonly header: Promise<string>; readonly isFresh: () => boolean; accepted?: boolean }

/**
 * Signs in each call to the service with a wallet (header SIGN-IN-WITH-X), if its operation accepts
 * that.
 *
 * Each attempt carries a fresh signature, since a service may refuse a used nonce. After a 401 the
 * call is signed and sent once more, with the time of the response's Date if it is at most 15
 * minutes from ours. A second 401 from a service whose clock is further away is an AuthError
 * `clock_mismatch`. With `reuse`, parallel calls share one signature for 80 % of its lifetime, by
 * elapsed time and by our own clock, and share its replacement after a 401. If the service refuses
 * a signature that it accepted before, or reports a reused nonce, a warning says so once, and each
 * later attempt gets a fresh signature. Redirects are not followed.
 */
export function wallet(signer: WalletSigner, options: SiwxOptions): Middleware {
  const { headerName = 'SIGN-IN-WITH-X', lifetimeMs = 600_000 } = options
  const origin = originOf(options.origin, options)
  const own = options.now ?? Date.now
  const clock = serverClock(own)
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
    const fresh: SignIn = { header: createSiwxHeader(signer, message), isFresh: lasting(0.8 * lifetimeMs, own) }
    current = fresh
    // a failed signature is not kept
    fresh.header.catch(() => forget(fresh))
    return fresh
  }
  /** Says so, because an option without effect looks like one that was not read. */
  const endReuse = () => {
    if (!reuse) return
    reuse = false
    // oxlint-disable-next-line no-console -- once, for a person who reads no events
    console.warn('Sign-in: the service takes a signature once, so `reuse` has no effect. A Farebox service needs --allow-nonce-reuse')
    options.onReuseRefused?.()
  }
  const forget = (used: SignIn) => {
    if (current === used) current = undefined
  }

  return (next) => async (call) => {
    if (originIn(call.url) !== origin || !admits(call, 'siwx')) return next(call)
    if (call.headers.has(headerName)) return sendGuarded(next, call)
    let clocks: string | undefined
    const send = async () => {
      const used = signIn()
      const response = await sendGuarded(next, withHeader(call, headerName, await used.header))
      clocks = clock.learn(response)
      if (response.status === 401) {
        if (used.accepted) endReuse()
        forget(used)
      } else if (response.ok) used.accepted = true
      return response
    }
    let response = await send()
    if (response.status === 401 && isResendable(call) && !call.signal?.aborted) {
      // calls that consumed the shared signature may be answered after this 401
      if (!reuse) await discard(response)
      else if (reused.test(await readText(response))) endReuse()
      response = await send()
    }
    if (response.status !== 401 || !clocks) return response
    await discard(response)
    throw new AuthError('clock_mismatch', `Sign-in: refused, and ${clocks}`)
  }
}

/** How services report a reused nonce, such as the code X402_SIGN_IN_NONCE_REUSED. */
const reused = /nonce.{0,16}(?:use|replay)/i
