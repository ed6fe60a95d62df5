import { randomUUID } from 'node:crypto'
import { UpstreamError } from './upstream-failure.js'
import type { PoolMember, UpstreamEvent, UpstreamPool } from './upstream-pool.js'
import { openRoute, type RouteOptions } from './upstream-route.js'
import type { Capability, OnServed } from './upstream-settings.js'

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

/** A caller of speech or text waits so long for a free upstream, or for its Retry-After. */
export const patienceMs = 5_000

/** The upstreams that serve a model, and take these fields beside those of the contract. */
export function serving<Client>(
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
  /** The Idempotency-Key of the request, for an upstream that honours it. */
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
export async function* through<Client, Part>(
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
  const members = serving(pool.members(), work.model, fields)
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
