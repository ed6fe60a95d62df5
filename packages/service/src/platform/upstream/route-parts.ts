import { openRoute, type Route, type RouteOptions } from './upstream-route.js'
import type { PoolMember, UpstreamEvent } from './upstream-pool.js'
import type { Capability } from './upstream-settings.js'

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

/** The upstreams that serve a model. */
export function serving<Client>(members: readonly PoolMember<Client>[], model: string): readonly PoolMember<Client>[] {
  return members.filter(({ settings: { models } }) => models?.includes(model) ?? true)
}

/** The route of a request whose caller waits for the answer, through those that serve its model. */
export function routeOf<Client>(
  members: readonly PoolMember<Client>[],
  asked: Pick<RouteOptions<Client>, 'work' | 'cost' | 'signal'>,
  parts: RouteParts,
): Route<Client> {
  const backoff = (times: number) => parts.random() * Math.min(2_000, 250 * 2 ** (times - 1))
  return openRoute({ ...parts, ...asked, members: serving(members, asked.work.model), patienceMs, backoff })
}

/** When there may be an upstream, for a Retry-After. */
export function retryAfterOf(waitMs: number): { readonly retryAfterSeconds?: number } {
  return Number.isFinite(waitMs) ? { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) } : {}
}
