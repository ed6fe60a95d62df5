import { isResendable, withHeader, type Middleware } from '@farebox/middleware'
import { AuthError } from './auth-error.js'
import { serverClock } from './clock.js'
import { createSiwxHeader } from './create-siwx-header.js'
import { admits, discard, goesTo, originOf, sendGuarded } from './credentials.js'
import { readStart } from './read-start.js'
import type { WalletSigner } from './signer.js'

export type SiwxOptions = {
  /** Where the service is; any of its addresses will do. No other origin ever gets a signature. */
  readonly origin: string
  /** The name in the sentence that is signed, `Sign in to Farebox API`. Default "Farebox". */
  readonly serviceName?: string
  /** The whole sentence, for a service with another one. */
  readonly statement?: string
  /** What the message names as domain. Default: the host of `origin`, with its port. */
  readonly domain?: string
  /** What the message names as URI. Default: `origin`. */
  readonly uri?: string
  /** Default SIGN-IN-WITH-X; the legacy name is X-Sign-In-With-X. */
  readonly headerName?: string
  /** Sign once and use the signature until 80 % of its life, for a wallet that asks a person each time. Default: sign for each attempt. */
  readonly reuse?: boolean
  readonly lifetimeMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** At least 8 letters or digits, never twice the same. */
  readonly nonce?: () => string
}

type SignIn = { readonly header: Promise<string>; readonly until: number; accepted?: boolean }

/**
 * Signs each call to the service in with a wallet (header SIGN-IN-WITH-X), where the operation takes it.
 *
 * Each attempt carries a fresh signature, since a service may refuse a nonce twice. After a 401 the call is signed and sent once more,
 * by the clock that the answer's Date taught, if that is at most 15 minutes from ours; a second 401 from a service whose clock is further
 * away is an AuthError `clock_mismatch`. With `reuse` any number of parallel calls share one signature, and the one that replaces it
 * after a 401; should the service refuse one that it took before, or say that a nonce was reused, signatures are fresh from then on.
 * Redirects are not followed.
 */
export function wallet(signer: WalletSigner, options: SiwxOptions): Middleware {
  const { headerName = 'SIGN-IN-WITH-X', lifetimeMs = 600_000 } = options
  const origin = originOf(options.origin)
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
    if (reuse && current && own() < current.until) return current
    const fresh: SignIn = { header: createSiwxHeader(signer, message), until: own() + 0.8 * lifetimeMs }
    current = fresh
    // a refusal to sign is not remembered
    fresh.header.catch(() => forget(fresh))
    return fresh
  }
  const forget = (used: SignIn) => {
    if (current === used) current = undefined
  }

  return (next) => async (call) => {
    if (!goesTo(origin, call) || !admits(call, 'siwx')) return next(call)
    if (call.headers.has(headerName)) return sendGuarded(next, call)
    let clocks: string | undefined
    const send = async () => {
      const used = signIn()
      const response = await sendGuarded(next, withHeader(call, headerName, await used.header))
      clocks = clock.learn(response)
      if (response.status === 401) {
        if (used.accepted) reuse = false
        forget(used)
      } else if (response.ok) used.accepted = true
      return response
    }
    let response = await send()
    if (response.status === 401 && isResendable(call) && !call.signal?.aborted) {
      // the answers to the calls that used the signature up may well come later than this one
      if (reuse) reuse = !reused.test(await readStart(response))
      else await discard(response)
      response = await send()
    }
    if (response.status !== 401 || !clocks) return response
    await discard(response)
    throw new AuthError('clock_mismatch', `Sign-in: refused, and ${clocks}`)
  }
}

/** How services say that a nonce is good for one call, as in the code X402_SIGN_IN_NONCE_REUSED. */
const reused = /nonce.{0,16}(?:use|replay)/i
