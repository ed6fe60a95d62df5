import type { UpstreamFailure } from './upstream-failure.js'
import {
  type Capability,
  type UpstreamSettings,
  type BreakerSettings,
  removeTrailingSlashes,
} from './upstream-settings.js'
import { discard } from '../bounded-body.js'

/** An upstream that can be called by a client of its format. */
export type PoolMember<Client> = {
  readonly settings: UpstreamSettings
  readonly client: Client
  readonly state: Pick<UpstreamState, 'inFlight' | 'circuit' | 'isWell' | 'checked'>
  /** Milliseconds until it may be asked. */
  readonly waitMs: () => number
  readonly begin: () => UpstreamWork
  /** Whether no call of this client is in flight. */
  readonly isIdle: () => boolean
}

/** One request at an upstream. */
type UpstreamWork = {
  /** The upstream has begun to deliver, so a circuit that this request was trying closes. */
  readonly confirmHealth: () => void
  /** Ends it, once. False when it has ended before. */
  readonly end: (outcome: 'ok' | 'abandoned' | UpstreamFailure) => boolean
}

/** The end of one request to an upstream. */
export type UpstreamEvent = {
  readonly capability: Capability
  readonly upstream: string
  readonly outcome: UpstreamOutcome
  /** Until the first byte of the delivery, or until its end. */
  readonly ms: number
}

/** The upstreams of one capability. */
export type UpstreamPool<Client> = {
  readonly members: () => readonly PoolMember<Client>[]
  /**
   * Replaces the upstreams. Those with the name and the URL of an earlier one keep its load and its
   * circuit. Calls in flight finish with the settings that they began with.
   */
  readonly replace: (settings: readonly UpstreamSettings[]) => void
  /** Those of the members, and those that were replaced while a call was in flight. */
  readonly clients: () => readonly Client[]
}

export function createUpstreamPool<Client>(
  make: (settings: UpstreamSettings) => Client,
  ticks: () => number,
): UpstreamPool<Client> {
  let members: readonly (PoolMember<Client> & { readonly state: UpstreamState })[] = []
  let replaced: readonly PoolMember<Client>[] = []
  return {
    members: () => members,
    replace: (all) => {
      const earlier = new Map(
        members.map(({ settings, state }) => [toUpstreamKey(settings), state]),
      )
      replaced = [...replaced, ...members].filter(({ isIdle }) => !isIdle())
      members = all.map((settings) =>
        createMember(
          settings,
          make(settings),
          earlier.get(toUpstreamKey(settings)) ?? createUpstreamState(ticks),
        ),
      )
    },
    clients: () => [...members, ...replaced].map(({ client }) => client),
  }
}

function toUpstreamKey({ name, url }: UpstreamSettings): string {
  return `${name} ${url}`
}

function createMember<Client>(settings: UpstreamSettings, client: Client, state: UpstreamState) {
  let running = 0
  return {
    settings,
    client,
    state,
    waitMs: () => state.waitMs(settings),
    isIdle: () => running === 0,
    begin: (): UpstreamWork => {
      const { confirmHealth, end } = state.begin(settings)
      let isOver = false
      running++
      return {
        confirmHealth,
        end: (outcome) => {
          if (isOver) return false
          isOver = true
          running--
          end(outcome)
          return true
        },
      }
    },
  }
}

/** `abandoned`: the caller left. */
type UpstreamOutcome = 'ok' | UpstreamFailure['kind'] | 'abandoned'

/** The load and the health of one upstream, kept while its settings change. */
type UpstreamState = {
  readonly inFlight: () => number
  readonly circuit: () => CircuitState
  /** False once two health checks in a row have failed, until one succeeds. */
  readonly isWell: () => boolean
  /** The end of a health check. It says nothing of the circuit, which requests open and close. */
  readonly checked: (isWell: boolean) => void
  /** Milliseconds until it may be asked. */
  readonly waitMs: (settings: UpstreamSettings) => number
  /** Begins a request. `end` is called once. */
  readonly begin: (settings: UpstreamSettings) => {
    readonly confirmHealth: () => void
    readonly end: (outcome: 'ok' | 'abandoned' | UpstreamFailure) => void
  }
}

/** How long a Retry-After keeps requests away from an upstream at most. */
const longestRestMs = 60_000
/** How soon an upstream is considered again that is full, or that one request is trying. */
const fullMs = 250
const checksThatFail = 2

function createUpstreamState(ticks: () => number): UpstreamState {
  const breaker = createCircuitBreaker(ticks)
  let inFlight = 0
  let restUntil = 0
  let failedChecks = 0
  const isWell = () => failedChecks < checksThatFail
  return {
    inFlight: () => inFlight,
    circuit: breaker.state,
    isWell,
    checked: (wasWell) => void (failedChecks = wasWell ? 0 : failedChecks + 1),
    waitMs: ({ concurrency, health }) => {
      const circuitMs = breaker.waitMs()
      const isFull = inFlight >= concurrency || circuitMs === Infinity
      const checkMs = health === undefined || isWell() ? 0 : health.everyMs
      return Math.max(
        isFull ? fullMs : 0,
        checkMs,
        restUntil - ticks(),
        circuitMs === Infinity ? 0 : circuitMs,
      )
    },

    begin: (settings) => {
      const pass = breaker.enter()
      inFlight++
      const end = (outcome: 'ok' | 'abandoned' | UpstreamFailure) => {
        inFlight--
        if (outcome === 'abandoned') return breaker.abandon(pass)
        // an upstream that rejects a request is healthy
        if (outcome === 'ok' || outcome.kind === 'rejected') return breaker.succeed(pass)
        const { kind, retryAfterMs = 0 } = outcome
        restUntil = Math.max(restUntil, ticks() + Math.min(retryAfterMs, longestRestMs))
        if (kind === 'busy') return breaker.abandon(pass)
        breaker.fail(pass, settings.breaker)
      }
      // in a closed circuit only the end counts: one that always breaks off has to open
      const confirmHealth = () => void (breaker.state() !== 'closed' && breaker.succeed(pass))
      return { confirmHealth, end }
    },
  }
}

/**
 * `open`: no call is made. `half-open`: one call is made, whose delivery closes the circuit and whose
 * failure opens it again. While it takes longer than the circuit was open, others are made.
 */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** A call that was let through. */
type CircuitPass = { readonly generation: number }

/** Stops calls to an upstream that fails, and then tries one call at a time. */
type CircuitBreaker = {
  readonly state: () => CircuitState
  /** Milliseconds until a call is let through. Infinity while a trial call is awaited. */
  readonly waitMs: () => number
  /** Lets a call through. Its end is one of the functions below. */
  readonly enter: () => CircuitPass
  readonly succeed: (pass: CircuitPass) => void
  readonly fail: (pass: CircuitPass, settings: BreakerSettings) => void
  /** The call ended without a verdict, because its caller left. */
  readonly abandon: (pass: CircuitPass) => void
}

/** `ticks`: milliseconds that never go back. */
export function createCircuitBreaker(ticks: () => number): CircuitBreaker {
  // calls of an earlier generation say nothing about the current state
  let generation = 0
  let failures = 0
  let openUntil: number | undefined
  let openMs = 0
  let tryingUntil = 0

  const isOpen = () => openUntil !== undefined && ticks() < openUntil
  const become = (until: number | undefined) => {
    generation++
    failures = 0
    openUntil = until
    tryingUntil = 0
  }

  return {
    state: () => (openUntil === undefined ? 'closed' : isOpen() ? 'open' : 'half-open'),

    waitMs: () => {
      if (openUntil === undefined) return 0
      return ticks() < tryingUntil ? Infinity : Math.max(0, openUntil - ticks())
    },

    enter: () => {
      if (openUntil !== undefined) tryingUntil = ticks() + openMs
      return { generation }
    },

    succeed: (pass) => {
      if (pass.generation !== generation) return
      if (openUntil === undefined) failures = 0
      else become(undefined)
    },

    fail: (pass, settings) => {
      if (pass.generation !== generation) return
      failures++
      if (openUntil === undefined && failures < settings.failures) return
      openMs = settings.openMs
      become(ticks() + openMs)
    },

    abandon: (pass) => {
      if (pass.generation === generation) tryingUntil = 0
    },
  }
}

type Member = Pick<PoolMember<unknown>, 'settings' | 'state'>

type HealthCheckOptions = {
  readonly send: typeof fetch
  /** Milliseconds that never go back. */
  readonly ticks: () => number
  readonly onTrouble: (capability: Capability, trouble: string) => void
}

/** Whether an upstream passes its checks, or has none. */
export function isHealthy({ settings, state }: Member): boolean {
  return settings.health === undefined || state.isWell()
}

/**
 * Runs the health checks that are due, one at a time per upstream. The result is in the state of
 * the upstream. A check that takes an upstream out is reported.
 */
export function createHealthChecks(
  members: () => readonly Member[],
  { send, ticks, onTrouble }: HealthCheckOptions,
): (signal: AbortSignal) => Promise<void> {
  const last = new WeakMap<Member['state'], number>()
  const running = new Set<Member['state']>()

  const check = async (
    { settings, state }: Member,
    path: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const wasWell = state.isWell()
    running.add(state)
    const fault = await checkHealth(settings, path, send, signal).finally(() =>
      running.delete(state),
    )
    if (signal.aborted) return
    state.checked(fault === undefined)
    if (wasWell && !state.isWell())
      onTrouble(
        settings.capability,
        `Health: ${settings.name} ${fault}; it gets no requests until a check succeeds`,
      )
  }

  return async (signal) => {
    const due = members().flatMap((member) => {
      const { settings, state } = member
      const { health } = settings
      if (
        !health ||
        running.has(state) ||
        ticks() - (last.get(state) ?? -Infinity) < health.everyMs
      )
        return []
      last.set(state, ticks())
      return [check(member, health.path, signal)]
    })
    await Promise.all(due)
  }
}

/** Undefined after a 2xx. */
async function checkHealth(
  { url, apiKey, timeouts }: UpstreamSettings,
  path: string,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await send(`${removeTrailingSlashes(url)}${path}`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeouts.firstByteMs)]),
      // a redirect would get the key
      redirect: 'error',
    })
    await discard(response)
    return response.ok ? undefined : `returned ${response.status} to its health check`
  } catch {
    return 'did not respond to its health check'
  }
}
