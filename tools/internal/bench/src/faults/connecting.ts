import type { Limits } from '@farebox/testing/fault-server'

type Fetch = typeof globalThis.fetch
type AgentClass = new (options: { readonly connect: { readonly timeout: number } }) => object

/** A fetch with a limit on connecting; undefined without that limit. */
export function connecting({ connectMs }: Limits): { readonly fetch?: Fetch } {
  if (connectMs === undefined) return {}
  // Node exports no undici; the class of its global dispatcher is the way to one
  const dispatcher = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')) as {
    readonly constructor: AgentClass
  }
  const agent = new dispatcher.constructor({ connect: { timeout: connectMs } })
  return { fetch: (url, init) => fetch(url, { ...init, dispatcher: agent } as RequestInit) }
}

/** The same with a time for each attempt, for a client that has no such option. */
export function timed(limits: Limits): { readonly fetch: Fetch } {
  const { timeoutMs } = limits
  const inner = connecting(limits).fetch ?? fetch
  if (timeoutMs === undefined) return { fetch: inner }
  return {
    fetch: (url, init) => {
      const given = init?.signal
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given ? [given] : [])])
      return inner(url, { ...init, signal })
    },
  }
}
