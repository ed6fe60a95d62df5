import type { UpstreamFailure } from './upstream-failure.js'
import { createUpstreamState, type UpstreamOutcome, type UpstreamState } from './upstream-state.js'
import type { Capability, UpstreamSettings } from './upstream-settings.js'

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
export type UpstreamWork = {
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
      const end = state.begin(settings)
      let isOver = false
      running++
      return {
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
