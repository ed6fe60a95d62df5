import { discard } from '../bounded-body.js'
import type { RouteParts } from './route-parts.js'
import type { PoolMember } from './upstream-pool.js'
import { type UpstreamSettings, withoutSlashes } from './upstream-settings.js'

type Member = Pick<PoolMember<unknown>, 'settings' | 'state'>

type HealthCheckOptions = Pick<RouteParts, 'ticks' | 'onTrouble'> & {
  readonly send: typeof fetch
}

/** Whether an upstream passes its checks, or has none. */
export function isHealthy({ settings, state }: Member): boolean {
  return settings.health === undefined || state.isWell()
}

/**
 * Checks the upstreams whose turn it is, each once at a time. The result of a check is in the state
 * of its upstream. The check that takes an upstream out is reported.
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

/** Undefined after an answer of 2xx. */
async function checkHealth(
  { url, apiKey, timeouts }: UpstreamSettings,
  path: string,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await send(`${withoutSlashes(url)}${path}`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeouts.firstByteMs)]),
      // a redirect would get the key
      redirect: 'error',
    })
    await discard(response)
    return response.ok ? undefined : `answered ${response.status} to its health check`
  } catch {
    return 'did not answer its health check'
  }
}
