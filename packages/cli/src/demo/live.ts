import { EventEmitter, on } from 'node:events'
import type { LedgerEntry } from '@farebox/types'
import type { Farebox } from 'farebox'
import { toExchange, type Exchange } from './exchange.js'
import type { Fetch } from './http-server.js'
import { readAccount } from './tour.js'

/** What the page shows. */
export type LiveState = {
  readonly baseUrl: string
  readonly address: string
  readonly balanceUsd: number
  /** Newest first. */
  readonly entries: readonly LedgerEntry[]
  /** Newest first. */
  readonly exchanges: readonly Exchange[]
}

export type Live = {
  readonly state: () => LiveState
  /** Answers as the service does, and records the calls of the API. */
  readonly fetch: Fetch
  /** The state now and after each change, until the signal aborts. */
  readonly changes: (signal: AbortSignal) => AsyncGenerator<LiveState, void, undefined>
}

const most = 200

/**
 * Records what goes over the wire, and reads the account of the wallet again after each call.
 * `farebox` must not call through `fetch`, or each reading would be recorded.
 */
export function createLive(
  service: { readonly origin: string; readonly fetch: Fetch },
  farebox: Farebox,
  address: string,
): Live {
  const emitter = new EventEmitter().setMaxListeners(0)
  let state: LiveState = {
    baseUrl: `${service.origin}/api/v1`,
    address,
    balanceUsd: 0,
    entries: [],
    exchanges: [],
  }
  let count = 0
  const set = (part: Partial<LiveState>) => {
    state = { ...state, ...part }
    emitter.emit('change')
  }
  const refresh = coalesced(async () => {
    const { leftUsd, entries } = await readAccount(farebox, address)
    set({ balanceUsd: leftUsd, entries: entries.slice(0, most) })
  })

  return {
    state: () => state,
    fetch: async (request, ended) => {
      const [at, start] = [new Date().toISOString(), performance.now()]
      const response = await service.fetch(request, ended)
      if (!new URL(request.url).pathname.startsWith('/api/')) return response
      const exchange = toExchange(request, response, {
        id: ++count,
        at,
        ms: Math.round(performance.now() - start),
      })
      set({ exchanges: [exchange, ...state.exchanges].slice(0, most) })
      // the charge is in the ledger once the body has ended
      void ended.then(refresh)
      return response
    },
    changes: async function* (signal) {
      const events = on(emitter, 'change', { signal })
      yield state
      for await (const _ of events) yield state
    },
  }
}

/**
 * Runs the work, and once more if it is asked for meanwhile. After a failure the page stays
 * unchanged until the next call.
 */
function coalesced(work: () => Promise<void>): () => void {
  let asked = 0
  const loop = async () => {
    for (let done = 0; done < asked;) {
      done = asked
      await work().catch(() => undefined)
    }
    asked = 0
  }
  return () => {
    asked += 1
    if (asked === 1) void loop()
  }
}
