import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  startFaultServer,
  type FaultServer,
  type ReceivedRequest,
  type Script,
} from './start-fault-server.js'

/** A client under test: `get` may be repeated, `post` costs money. */
export type Party = {
  readonly get: (signal?: AbortSignal) => Promise<unknown>
  readonly post: (signal?: AbortSignal) => Promise<unknown>
}

/** Makes a client with a key and its own defaults. Limits are set for faults about them. */
export type Make = (origin: string, limits: Limits) => Promise<Party>

export type Limits = {
  /** For each attempt, headers and body. */
  readonly timeoutMs?: number
  readonly connectMs?: number
}

export type Scenario = {
  /** The actions and the expected result, in words. */
  readonly title: string
  /** Made anew for each client. A redirect to `ELSEWHERE` goes to a second server. */
  readonly script: (elsewhere: string) => Script
  /** Default: one `post`. */
  readonly run?: (party: Party, tools: Tools) => Promise<unknown>
  readonly right: (seen: ScenarioResult) => boolean
  readonly limits?: Limits
  /** The origin that the client is told. Default: the server's own. */
  readonly origin?: (server: FaultServer) => string
  /**
   * Makes so much work that clients are best played to one after the other, with nothing beside.
   */
  readonly heavy?: true
  /**
   * The server listens only this much later, in milliseconds; until then connections are refused.
   */
  readonly opensAfterMs?: number
}

export type Tools = {
  /** A signal that is looked at for listeners when all is over. */
  readonly controller: () => AbortController
  readonly heard: (count: number) => Promise<void>
}

/** What there is to count when all is over. */
export type ScenarioResult = {
  readonly heard: readonly ReceivedRequest[]
  /** Milliseconds from each send to the next. */
  readonly waits: readonly number[]
  readonly outcome: 'value' | 'error' | 'still waiting'
  readonly value: unknown
  readonly error: unknown
  readonly ms: number
  readonly connections: number
  readonly elsewhere: readonly ReceivedRequest[]
  /** Open connections that received a request, and listeners left on a signal. */
  readonly leaks: number
}

/** How long a call may take before it counts as endless, and its connections to close. */
type Patience = { readonly callMs: number; readonly closingMs: number }

/** For a comparison of clients on an idle machine, where some clients never end a call. */
const idleMachine: Patience = { callMs: 20_000, closingMs: 3000 }

/** Plays a scenario to one client. */
export async function play(
  scenario: Scenario,
  make: Make,
  { callMs, closingMs }: Patience = idleMachine,
): Promise<ScenarioResult> {
  const elsewhere = await startFaultServer([{ kind: 'response' }])
  const script = scenario.script(elsewhere.origin)
  let server = await startFaultServer(script)
  const party = await make(scenario.origin?.(server) ?? server.origin, scenario.limits ?? {})
  const controllers: AbortController[] = []
  const tools: Tools = {
    controller: () => {
      const controller = new AbortController()
      controllers.push(controller)
      return controller
    },
    heard: async (count) => waitUntil(() => server.heard.length >= count, callMs),
  }
  if (scenario.opensAfterMs !== undefined) {
    await server.close()
    const port = Number(new URL(server.origin).port)
    setTimeout(
      () => void startFaultServer(script, port).then((opened) => (server = opened)),
      scenario.opensAfterMs,
    )
  }

  const start = performance.now()
  const running = (scenario.run ?? (({ post }) => post()))(party, tools)
  const end = await Promise.race([running.then(toValueEnd, toErrorEnd), waitForEnd(callMs)])
  const ms = performance.now() - start
  const leaks = () =>
    server.busy() +
    controllers.reduce((sum, { signal }) => sum + getEventListeners(signal, 'abort').length, 0)
  if (end.outcome !== 'still waiting') await waitUntil(() => leaks() === 0, closingMs)
  const seen: ScenarioResult = {
    ...end,
    ms,
    heard: [...server.heard],
    waits: server.heard.slice(1).map(({ at }, index) => at - (server.heard[index]?.at ?? 0)),
    connections: server.connections(),
    elsewhere: [...elsewhere.heard],
    leaks: leaks(),
  }
  await Promise.all([server.close(), elsewhere.close()])
  return seen
}

/** Whether a client did right: it settled, left nothing behind, and did what the scenario says. */
export function isRight({ right }: Scenario, seen: ScenarioResult): boolean {
  return seen.outcome !== 'still waiting' && seen.leaks === 0 && right(seen)
}

type End = Pick<ScenarioResult, 'outcome' | 'value' | 'error'>

function toValueEnd(value: unknown): End {
  return { outcome: 'value', value, error: undefined }
}

function toErrorEnd(error: unknown): End {
  return { outcome: 'error', value: undefined, error }
}

async function waitForEnd(ms: number): Promise<End> {
  await sleep(ms, undefined, { ref: false })
  return { outcome: 'still waiting', value: undefined, error: undefined }
}

async function waitUntil(isSo: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms
  while (!isSo() && performance.now() < end) await sleep(5)
}
