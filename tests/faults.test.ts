import { inspect } from 'node:util'
import { createFarebox, isFareboxError, type FareboxEvent } from 'farebox'
import { describe, expect, it } from 'vitest'
import {
  isRight,
  play,
  scenarios,
  type Make,
  type Scenario,
  type ScenarioResult,
} from '@farebox/testing/fault-server'

const secret = 'planted-secret'

/** The SDK as it comes, but for the chance in its backoff. */
const farebox =
  (events: FareboxEvent[]): Make =>
  async (origin, { timeoutMs, connectMs }) => {
    const fetch = connectMs === undefined ? undefined : createFetch(connectMs)
    const sdk = createFarebox({
      baseUrl: `${origin}/api/v1`,
      apiKey: secret,
      allowInsecureHttp: true,
      onEvent: (event) => void events.push(event),
      retry: { random: () => 0.5 },
      // a slow machine may need longer to send a request, or to notice that there is no connection
      ...(timeoutMs !== undefined && connectMs === undefined && { timeoutMs: 4 * timeoutMs }),
      ...(fetch && { fetch }),
    })
    return {
      get: async (signal) => (await sdk.listModels({}, signal && { signal }).withResponse()).body,
      post: async (signal) =>
        (
          await sdk
            .queueVideo({ model: 'm', prompt: 'p', duration: '5s' }, signal && { signal })
            .withResponse()
        ).body,
    }
  }

/** Node's own fetch, whose dispatcher waits ten seconds for a connection. */
function createFetch(timeout: number): typeof globalThis.fetch {
  const name = Symbol.for('undici.globalDispatcher.1')
  const Agent = Reflect.get(Reflect.get(globalThis, name), 'constructor')
  const dispatcher: unknown = Reflect.construct(Agent, [{ connect: { timeout } }])
  return async (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)
}

describe('the SDK handles', () => {
  it('at least 48 different scripted faults', () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(48)
    expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length)
  })

  it.concurrent.each(nameScenarios(scenarios.filter(({ heavy }) => !heavy)))('%s', judge)

  // they would keep the others from sending in time
  it.each(nameScenarios(scenarios.filter(({ heavy }) => heavy)))('%s', judge)
})

function nameScenarios(listed: readonly Scenario[]) {
  return listed.map((scenario) => [scenario.title, scenario] as const)
}

async function judge(_title: string, scenario: Scenario): Promise<void> {
  const events: FareboxEvent[] = []
  const seen = await play(scenario, farebox(events), { callMs: 300_000, closingMs: 300_000 })
  if (!isRight(scenario, seen)) throw new Error(`It was not right: ${describeSeen(seen)}`)
  for (const error of listErrors(seen)) {
    if (!isFareboxError(error)) throw error
    if (seen.heard.length === 0) expect(error.mayHaveArrived).toBe(false)
  }
  const shown = [
    inspect([seen.value, seen.error, events], { depth: 12, showHidden: true }),
    JSON.stringify([listErrors(seen), events]),
  ]
  expect(shown.join()).not.toContain(secret)
}

function describeSeen({
  heard,
  waits,
  outcome,
  ms,
  leaks,
  connections,
  elsewhere,
  error,
}: ScenarioResult): string {
  const facts = {
    sends: heard.length,
    waits,
    outcome,
    ms,
    leaks,
    connections,
    elsewhere: elsewhere.length,
  }
  return `${JSON.stringify(facts)} ${String(error)}`
}

/** Of one call, or of many that were waited for together. */
function listErrors({ value, error }: ScenarioResult): readonly unknown[] {
  const ends: readonly unknown[] = Array.isArray(value) ? value : []
  const reasons = ends.flatMap((end) =>
    typeof end === 'object' && end !== null && 'reason' in end ? [end.reason] : [],
  )
  return error === undefined ? reasons : [error, ...reasons]
}
