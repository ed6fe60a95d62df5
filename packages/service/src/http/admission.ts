import { abuseProtection } from '@farebox/types/operations'
import { failure, isCallersFault } from '../contract/failures.js'
import { type LimitStore, type Quota, toQuota, withTokens } from '../domain/limits/limits.js'
import { findClassLimits, findTierLimits, type Catalogue } from '../domain/models/catalogue.js'
import { HttpError, type Reply } from './reply.js'
import type { RequestContext } from './request-context.js'

/** Decides whether a caller may send a request now, and counts its failures. */
export type Admission = {
  /**
   * Throws 429 for a caller that this process knows to be blocked. It reads no store, so it can run
   * before costly checks.
   */
  readonly screen: (requestContext: RequestContext, caller: string) => void
  /** Counts a request in its class. Throws 429 for a caller that is blocked or over its limit. */
  readonly admit: (requestContext: RequestContext, rateClass: string | undefined) => Promise<void>
  /**
   * Counts a request and its tokens in the tier of its model. Throws 429 when either is over its
   * limit.
   */
  readonly reserve: (requestContext: RequestContext, wanted: WantedTokens) => Promise<Reservation>
  /** The headers of every response (interface specification, "Rate-limit response headers"). */
  readonly headers: (requestContext: RequestContext) => Promise<Readonly<Record<string, string>>>
  /** Counts a failure that the caller caused. */
  readonly conclude: (
    requestContext: RequestContext,
    reply: Pick<Reply, 'status' | 'callersFault'>,
  ) => Promise<void>
}

/** Tokens that a request may use. */
type WantedTokens = { readonly tier: string; readonly tokens: number }

export type Reservation = {
  /** Corrects the reservation to what was used. Never rejects. */
  readonly settle: (used: number) => Promise<void>
}

type AdmissionOptions = {
  readonly limits: LimitStore
  readonly catalogue: Catalogue
  readonly now: () => number
  /** Called for each request over a limit, before it is rejected. */
  readonly onExceeded: (
    requestContext: RequestContext,
    rateClass: string,
    type?: 'RPM' | 'TPM',
  ) => Promise<void>
}

const unstated = 'unstated'

/** All keys of an account together may fail this many times as often as one key. */
const accountFactor = 5

/**
 * Limits the requests per minute of each caller in each class of operations, as the catalogue says.
 * Blocks a caller after too many failures (`x-abuse-protection`; interface specification, "Client
 * rules", rule 3). Responses to a blocked caller do not count as failures, since the block would
 * extend itself.
 */
export function createAdmission({
  limits,
  catalogue,
  now,
  onExceeded,
}: AdmissionOptions): Admission {
  const known = createKnownBlocks()
  /** The rejection of a blocked caller, whose quota resets when the block ends. */
  const rejectBlocked = (
    requestContext: RequestContext,
    quota: Quota,
    blockedUntil: number,
    time: number,
  ): HttpError => {
    const { callerId, parties = [callerId] } = requestContext
    const resetsAt = Math.max(quota.resetsAt, Math.ceil(blockedUntil / 1000))
    requestContext.quota = { ...quota, resetsAt }
    // the store does not say which of several limits it was
    if (parties.length === 1) known.note(callerId, blockedUntil, time)
    return tooManyFailures(blockedUntil - time)
  }
  return {
    screen: (requestContext, caller) => {
      const time = now()
      const until = known.until(caller, time)
      if (until === undefined) return
      const quota = toQuota(
        { recent: [], rejected: true },
        findClassLimits(catalogue, unstated, requestContext.rateTier),
        time,
      )
      requestContext.quota = { ...quota, remaining: 0, resetsAt: Math.ceil(until / 1000) }
      throw tooManyFailures(until - time)
    },

    admit: async (requestContext, rateClass = unstated) => {
      const { callerId, rateTier, parties = [callerId] } = requestContext
      const time = now()
      const figures = findClassLimits(catalogue, rateClass, rateTier)
      const counter = { caller: callerId, rateClass, parties }
      const {
        admitted,
        recent,
        blockedUntil = 0,
      } = await limits.count(counter, figures.requests, time)
      const quota = toQuota({ recent, rejected: !admitted }, figures, time)
      requestContext.quota = quota
      if (admitted) return
      if (blockedUntil > time) throw rejectBlocked(requestContext, quota, blockedUntil, time)
      await onExceeded(requestContext, rateClass)
      throw rateLimitExceeded('The rate limit', quota.secondsToReset)
    },

    reserve: async (requestContext, { tier, tokens: wanted }) => {
      const { callerId, rateTier, parties = [callerId] } = requestContext
      const figures = findTierLimits(catalogue, tier, rateTier)
      const time = now()
      const counter = { caller: callerId, rateClass: `tier ${tier}`, parties }
      const tokenCounter = { ...counter, rateClass: `tokens ${tier}` }
      const tokens = Math.min(wanted, figures.tokens)
      // side by side, so that a shared store counts both in one statement
      const [counted, reserved] = await Promise.all([
        limits.count(counter, figures.requests, time),
        limits.count(tokenCounter, figures.tokens, time, tokens),
      ])
      const second = reserved.recent.at(-1)?.[0] ?? 0
      const correct = async (used: number) => {
        await limits.adjust(tokenCounter, second, used - tokens)
        return reserved.recent.map(
          ([at, n]) => [at, at === second ? n + used - tokens : n] as const,
        )
      }
      const quota = toQuota({ recent: counted.recent, rejected: !counted.admitted }, figures, time)
      const { blockedUntil = 0 } = counted
      if (blockedUntil > time) throw rejectBlocked(requestContext, quota, blockedUntil, time)
      const recent = !counted.admitted && reserved.admitted ? await correct(0) : reserved.recent
      requestContext.quota = withTokens(
        quota,
        {
          recent,
          ...(counted.admitted && !reserved.admitted && { rejected: tokens }),
        },
        time,
      )
      if (!counted.admitted) {
        await onExceeded(requestContext, tier)
        throw rateLimitExceeded('The rate limit', quota.secondsToReset)
      }
      if (!reserved.admitted) {
        await onExceeded(requestContext, tier, 'TPM')
        throw rateLimitExceeded(
          'The limit of tokens',
          requestContext.quota.secondsToTokenReset ?? 1,
        )
      }
      let isSettled = false
      return {
        settle: async (used) => {
          if (isSettled) return
          isSettled = true
          // work that was charged must not fail because tokens stay reserved
          const recent =
            used === tokens ? reserved.recent : await correct(used).catch(() => reserved.recent)
          requestContext.quota = withTokens(quota, { recent }, now())
        },
      }
    },

    headers: async ({ quota, callerId, rateTier }) => {
      if (!quota) {
        const time = now()
        const { recent } = await limits.read({ caller: callerId, rateClass: unstated }, time)
        const figures = findClassLimits(catalogue, unstated, rateTier)
        quota = toQuota({ recent, rejected: false }, figures, time)
      }
      return {
        'x-ratelimit-limit-requests': String(quota.limit),
        'x-ratelimit-remaining-requests': String(quota.remaining),
        'x-ratelimit-reset-requests': String(quota.resetsAt),
        'x-ratelimit-limit-tokens': String(quota.tokenLimit),
        'x-ratelimit-remaining-tokens': String(quota.remainingTokens),
        'x-ratelimit-reset-tokens': String(quota.secondsToTokenReset ?? quota.secondsToReset),
      }
    },

    conclude: async ({ callerId, parties = [callerId] }, { status, callersFault }) => {
      if (status < 400 || !(callersFault ?? isCallersFault(status))) return
      const time = now()
      for (const [index, party] of parties.entries()) {
        const failures = abuseProtection.failures * (index === 0 ? 1 : accountFactor)
        const until = await limits.fail(party, { ...abuseProtection, failures }, time)
        if (until !== undefined) known.note(party, until, time)
      }
    },
  }
}

function rateLimitExceeded(what: string, waitSeconds: number): HttpError {
  const seconds = String(waitSeconds)
  return new HttpError(
    failure(429, `${what} is exceeded. Try again in ${seconds} s.`, 'RATE_LIMIT_EXCEEDED', {
      'retry-after': seconds,
    }),
  )
}

function tooManyFailures(milliseconds: number): HttpError {
  const seconds = String(Math.ceil(milliseconds / 1000))
  return new HttpError(
    // the message of the contract; retry-after has the actual time
    failure(429, 'Too many failed requests. Wait 30s and try again.', 'TOO_MANY_FAILURES', {
      'retry-after': seconds,
    }),
  )
}

/** Blocks that this process has seen, so that it can reject a caller before costly work. */
type KnownBlocks = {
  readonly note: (caller: string, until: number, now: number) => void
  /**
   * Milliseconds since 1970 until which a caller is known to be blocked; undefined when it is not.
   */
  readonly until: (caller: string, now: number) => number | undefined
}

const maxBlocks = 10_000

/** Ignores the case of wallet addresses, since they come from unverified messages. */
function createKnownBlocks(): KnownBlocks {
  const blocks = new Map<string, number>()
  return {
    note: (caller, until, now) => {
      if (blocks.size >= maxBlocks)
        for (const [name, end] of blocks) if (end <= now) blocks.delete(name)
      if (blocks.size < maxBlocks) blocks.set(caller.toLowerCase(), until)
    },
    until: (caller, now) => {
      const until = blocks.get(caller.toLowerCase()) ?? 0
      return until > now ? until : undefined
    },
  }
}
