import { createFarebox } from 'farebox'
import { describe, expect, it } from 'vitest'
import { isRight, play, scenarios, type Make, type Seen } from './fault-server/index.js'

/** The SDK as it comes, but for the chance in its backoff. */
const farebox: Make = async (origin, { timeoutMs, connectMs }) => {
  const fetch = connectMs === undefined ? undefined : connectingWithin(connectMs)
  const sdk = createFarebox({
    baseUrl: `${origin}/api/v1`,
    apiKey: 'KEY',
    retry: { random: () => 0.5 },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(fetch && { fetch }),
  })
  return {
    get: async (signal) => sdk.listModels({}, signal && { signal }),
    post: async (signal) => sdk.queueVideo({ model: 'm', prompt: 'p', duration: '5s' }, signal && { signal }),
  }
}

/** Node's own fetch, whose dispatcher waits ten seconds for a connection. */
function connectingWithin(timeout: number): typeof globalThis.fetch {
  const name = Symbol.for('undici.globalDispatcher.1')
  const Agent = Reflect.get(Reflect.get(globalThis, name), 'constructor')
  const dispatcher: unknown = Reflect.construct(Agent, [{ connect: { timeout } }])
  return async (url, init) => fetch(url, { ...init, dispatcher } as RequestInit)
}

describe('the SDK does right by', () => {
  it('at least 48 scripted faults, each its own', () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(48)
    expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length)
  })

  it.concurrent.each(scenarios.map((scenario) => [scenario.title, scenario] as const))('%s', async (_title, scenario) => {
    const seen = await play(scenario, farebox)
    if (!isRight(scenario, seen)) throw new Error(`It was not right: ${told(seen)}`)
  })
})

function told({ heard, waits, outcome, ms, leaks, connections, elsewhere, error }: Seen): string {
  const facts = { sends: heard.length, waits, outcome, ms, leaks, connections, elsewhere: elsewhere.length }
  return `${JSON.stringify(facts)} ${String(error)}`
}
