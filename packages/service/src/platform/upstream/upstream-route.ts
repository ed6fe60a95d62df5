import { type UpstreamFailure, UpstreamError } from './upstream-failure.js'
import type { PoolMember, UpstreamEvent, UpstreamPool } from './upstream-pool.js'
import type { Work, UpstreamSettings, Capability, OnServed } from './upstream-settings.js'
import { openBills, type CallBill, type WorkCost } from './work-cost.js'
import { randomUUID } from 'node:crypto'

type RouteOptions<Client> = {
  readonly members: readonly PoolMember<Client>[]
  /** In the units of prices. */
  readonly work: Work
  /** Collects the bill of each call. */
  readonly cost?: WorkCost | undefined
  readonly signal: AbortSignal
  /** Milliseconds that the request may wait for an upstream, all waits together. */
  readonly patienceMs: number
  /** Milliseconds before an upstream is asked again, for the second request from 1. */
  readonly backoff: (asked: number) => number
  /**
   * Whether `retries` counts only what may have been begun, so that a request waits for an upstream
   * as long as the patience lasts.
   */
  readonly isPatient?: boolean
  readonly random: () => number
  readonly ticks: () => number
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly onEnd: (event: UpstreamEvent) => void
}

/** The upstreams that one request may still be sent to. */
type Route<Client> = {
  /**
   * The next upstream to send the request to, or how many milliseconds it would have to wait for
   * one. Infinity: none is left.
   */
  readonly next: () => Promise<Attempt<Client> | { readonly waitMs: number }>
}

/** One request to one upstream. One of its functions ends it; further calls do nothing. */
export type Attempt<Client> = {
  readonly settings: UpstreamSettings
  readonly client: Client
  readonly accepts: CallBill['accept']
  /** The upstream works, although the request may take long. */
  readonly confirmHealth: () => void
  /** The first byte of the delivery. */
  readonly delivers: () => void
  readonly succeed: () => void
  readonly abandon: () => void
  /** Whether the request may be sent again, to what `next` returns. */
  readonly fail: (failure: UpstreamFailure) => boolean
}

/**
 * Sends a request to one upstream after another, until one delivers. A request that an upstream
 * rejects as wrong is not sent again. One that certainly was not begun is sent to any other, or
 * again. One that may have been begun is sent again as the `repeat` of that upstream says. Nothing
 * is sent again once a byte was delivered.
 */
export function openRoute<Client>(options: RouteOptions<Client>): Route<Client> {
  const { signal, patienceMs, backoff, random, ticks, sleep } = options
  const callCounts = new Map<PoolMember<Client>, number>()
  const spent = new Map<PoolMember<Client>, number>()
  const readCount = (counts: typeof callCounts, member: PoolMember<Client>) =>
    counts.get(member) ?? 0
  let members = options.members
  /** The upstream that knows the key of a request whose response was lost. */
  let keyed: PoolMember<Client> | undefined
  const openBill = openBills(options.work, options.cost)
  let waitedMs = 0
  let sinceFailureMs = 0

  /** False if that is longer than the remaining patience. */
  const wait = async (milliseconds: number): Promise<boolean> => {
    if (waitedMs + milliseconds > patienceMs) return false
    waitedMs += milliseconds
    sinceFailureMs += milliseconds
    if (milliseconds > 0) await sleep(milliseconds, signal).catch(() => undefined)
    return !signal.aborted
  }

  return {
    next: async () => {
      for (;;) {
        const left = members.filter((member) => readCount(spent, member) <= member.settings.retries)
        const usable = left.some((member) => member === keyed && member.waitMs() === 0)
          ? left.filter((member) => member === keyed)
          : left
        const choice = chooseUpstream(
          usable.map((member) => ({
            weight: member.settings.weight,
            waitMs: member.waitMs(),
            asked: readCount(callCounts, member),
          })),
          random,
        )
        if ('waitMs' in choice) {
          if (!(await wait(choice.waitMs))) return choice
          continue
        }
        const member = usable[choice.index]
        if (!member) return { waitMs: Infinity }
        const earlier = readCount(callCounts, member)
        const pauseMs = earlier === 0 ? 0 : backoff(earlier) - sinceFailureMs
        if (pauseMs > 0) {
          if (!(await wait(pauseMs))) return { waitMs: pauseMs }
          // others may have taken its place
          continue
        }
        callCounts.set(member, earlier + 1)
        spent.set(member, readCount(spent, member) + 1)
        return begin(member)
      }
    },
  }

  function begin(member: PoolMember<Client>): Attempt<Client> {
    const { settings, client } = member
    const { capability, name: upstream, repeat } = settings
    const start = ticks()
    let firstMs: number | undefined
    const work = member.begin()
    const bill = openBill(settings)
    const end = (outcome: 'ok' | 'abandoned' | UpstreamFailure) => {
      if (!work.end(outcome)) return
      if (outcome === 'abandoned' || (outcome !== 'ok' && outcome.mayHaveBegun))
        bill.lose(firstMs !== undefined)
      const kind = typeof outcome === 'string' ? outcome : outcome.kind
      options.onEnd({ capability, upstream, outcome: kind, ms: firstMs ?? ticks() - start })
    }
    return {
      settings,
      client,
      accepts: bill.accept,
      confirmHealth: work.confirmHealth,
      delivers: () => {
        firstMs ??= ticks() - start
        work.confirmHealth()
      },
      succeed: () => end('ok'),
      abandon: () => end('abandoned'),
      fail: (failure) => {
        end(failure)
        sinceFailureMs = 0
        const isHarmless = !failure.mayHaveBegun || (repeat === 'keyed' && failure.status !== 500)
        if (options.isPatient === true && isHarmless)
          spent.set(member, readCount(spent, member) - 1)
        if (failure.kind === 'rejected' || firstMs !== undefined || signal.aborted) return false
        // it would fail again, for example because its key is wrong
        if (!failure.isTransient && !failure.mayHaveBegun)
          members = members.filter((one) => one !== member)
        if (!failure.mayHaveBegun || repeat === 'free') return true
        if (repeat === 'never') return false
        if (repeat === 'failover') members = members.filter((one) => one !== member)
        // a patient request is expensive: no other upstream gets it
        else if (options.isPatient === true) members = [member]
        else keyed = member
        return true
      },
    }
  }
}

/** The facts that the choice depends on. */
export type Candidate = {
  readonly weight: number
  /** Milliseconds until it may be asked. */
  readonly waitMs: number
  /** How often this request was sent to it. */
  readonly asked: number
}

/** Index of the upstream to ask, or milliseconds until there is one. Infinity: never. */
type Choice = { readonly index: number } | { readonly waitMs: number }

/**
 * Chooses by weight among the available upstreams that were asked least. Those of weight 0 are
 * asked only if no other is available. `random` is from 0 to 1, without 1.
 */
export function chooseUpstream(candidates: readonly Candidate[], random: () => number): Choice {
  const ready = candidates.flatMap((candidate, index) =>
    candidate.waitMs <= 0 ? [{ ...candidate, index }] : [],
  )
  if (ready.length === 0)
    return { waitMs: Math.min(Infinity, ...candidates.map(({ waitMs }) => waitMs)) }
  const least = Math.min(...ready.map(({ asked }) => asked))
  const fresh = ready.filter(({ asked }) => asked === least)
  const weighty = fresh.filter(({ weight }) => weight > 0)
  if (weighty.length === 0) return { index: fresh[Math.floor(random() * fresh.length)]?.index ?? 0 }
  let left = random() * weighty.reduce((sum, { weight }) => sum + weight, 0)
  const chosen = weighty.find(({ weight }) => (left -= weight) < 0) ?? weighty.at(-1)
  return { index: chosen?.index ?? 0 }
}

/** What the routes of all capabilities share. */
export type RouteParts = {
  /** Milliseconds that never go back. */
  readonly ticks: () => number
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly onEnd: (event: UpstreamEvent) => void
  /** The fault of an upstream after which the request was sent again. It has no secrets. */
  readonly onTrouble: (capability: Capability, trouble: string) => void
}

/** How long a caller of speech or text waits for a free upstream, or for its Retry-After. */
const patienceMs = 5_000

/** The upstreams that serve a model, and take these fields beside those of the contract. */
export function findServing<Client>(
  members: readonly PoolMember<Client>[],
  model: string,
  fields: readonly string[] = [],
): readonly PoolMember<Client>[] {
  return members.filter(
    ({ settings: { models, extraFields } }) =>
      (models?.includes(model) ?? true) && fields.every((name) => extraFields.includes(name)),
  )
}

/** What one upstream is asked with, beside the request itself. */
export type UpstreamCall = {
  readonly signal: AbortSignal
  readonly onServed: OnServed
  /** The Idempotency-Key of the request, for an upstream that honors it. */
  readonly key?: string
}

export type ThroughOptions<Client, Part> = Pick<
  RouteOptions<Client>,
  'work' | 'cost' | 'signal'
> & {
  readonly capability: Capability
  readonly onServed: OnServed | undefined
  /** Fields that are not in the contract. */
  readonly fields?: readonly string[]
  readonly ask: (client: Client, call: UpstreamCall) => AsyncIterable<Part>
  /** Whether a part begins the delivery, after which no other upstream is asked. */
  readonly isDelivery: (part: Part) => boolean
  /** The error when no upstream takes the request, and none has failed on it. */
  readonly offline: (waitMs: number) => Error
}

/**
 * Asks the upstreams that serve a model for a caller who waits, one after another, until one
 * delivers. The next one is asked after an UpstreamError with a failure. Ends when the signal
 * aborts.
 */
export async function* routeCall<Client, Part>(
  pool: UpstreamPool<Client>,
  {
    capability,
    work,
    cost,
    signal,
    onServed,
    fields,
    ask,
    isDelivery,
    offline,
  }: ThroughOptions<Client, Part>,
  parts: RouteParts,
): AsyncGenerator<Part> {
  const backoff = (times: number) => parts.random() * Math.min(2_000, 250 * 2 ** (times - 1))
  const members = findServing(pool.members(), work.model, fields)
  const route = openRoute({ ...parts, work, cost, signal, members, patienceMs, backoff })
  const key = randomUUID()
  let last: UpstreamError | undefined
  for (;;) {
    const attempt = await route.next()
    if (signal.aborted) return
    if ('waitMs' in attempt) throw last ?? offline(attempt.waitMs)
    if (last?.trouble !== undefined) parts.onTrouble(capability, last.trouble)
    const accepted: OnServed = (call, done) => {
      const served = attempt.accepts(call, done)
      onServed?.(served)
    }
    const isKeyed = attempt.settings.repeat === 'keyed'
    try {
      for await (const part of ask(attempt.client, {
        signal,
        onServed: accepted,
        ...(isKeyed && { key }),
      })) {
        if (isDelivery(part)) attempt.delivers()
        yield part
      }
      if (!signal.aborted) attempt.succeed()
      return
    } catch (error) {
      if (!(error instanceof UpstreamError && error.failure && attempt.fail(error.failure)))
        throw error
      last = error
    } finally {
      attempt.abandon()
    }
  }
}

/** When there may be an upstream, for a Retry-After. */
export function toRetryAfter(waitMs: number): { readonly retryAfterSeconds?: number } {
  return Number.isFinite(waitMs) ? { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) } : {}
}
