import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { startFaultServer, type Fault, type FaultServer } from '../../../tests/fault-server/index.js'
import { createFarebox } from './create-farebox.js'
import { FareboxError } from './error.js'
import type { FareboxEvent } from './events.js'

let server: FaultServer | undefined
afterEach(async () => server?.close())

/** What the server heard of one createSpeech, and how it ended. */
async function speaking(script: readonly Fault[]) {
  server = await startFaultServer(script)
  const events: FareboxEvent[] = []
  const farebox = createFarebox({
    baseUrl: `${server.origin}/api/v1`,
    apiKey: 'planted-secret',
    retry: { random: () => 0 },
    onEvent: (event) => events.push(event),
  })
  const end = await farebox.createSpeech({ input: 'Hello' }).catch((error: unknown) => error)
  if (end instanceof Response) await end.body?.cancel()
  return { server, end, events }
}

const speech: Fault = { kind: 'answer', headers: { 'content-type': 'audio/mpeg' }, body: 'mp3' }

describe('an SDK against a faulty service', () => {
  it('repeats what was refused for the moment, with one key', async () => {
    const { server, end } = await speaking([
      { kind: 'answer', status: 503 },
      { kind: 'answer', status: 429, headers: { 'retry-after-ms': '1' } },
      speech,
    ])
    expect(end).toBeInstanceOf(Response)
    const keys = server.heard.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
  })

  it('does not repeat what was lost, and tells the failure and the giving up', async () => {
    const { server, end, events } = await speaking([{ kind: 'reset' }])
    expect(end).toMatchObject({ code: 'lost_answer', mayHaveArrived: true, attempts: 1 })
    expect(server.heard).toHaveLength(1)
    expect(events.map(({ type }) => type)).toEqual(['send', 'failure', 'give-up'])
  })

  it('does not follow a redirect to another origin with its key', async () => {
    const elsewhere = await startFaultServer([speech])
    const { end } = await speaking([{ kind: 'redirect', to: `${elsewhere.origin}/` }])
    expect(end).toMatchObject({ code: 'redirect_refused' })
    expect(elsewhere.heard).toHaveLength(0)
    await elsewhere.close()
  })

  it('leaves no listener on a signal that many calls share, and brings Node to no warning', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    server = await startFaultServer([{ kind: 'answer', body: '{"quote":0.5}' }])
    const farebox = createFarebox({ baseUrl: `${server.origin}/api/v1`, apiKey: 'planted-secret' })
    const { signal } = new AbortController()
    const quote = () => farebox.quoteVideo({ model: 'local-test-clip', duration: '5s' }, { signal })
    const quotes = await Promise.all(Array.from({ length: 60 }, quote))
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('warning', warn)
    expect(quotes).toHaveLength(60)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(warnings).toEqual([])
  })

  it('shows its key in no error and no event', async () => {
    for (const fault of [{ kind: 'reset' }, { kind: 'answer', status: 500 }, { kind: 'malformed-headers' }] satisfies Fault[]) {
      const { end, events } = await speaking([fault])
      await server?.close()
      expect(end).toBeInstanceOf(FareboxError)
      expect(JSON.stringify([end, events]) + String(end)).not.toContain('planted-secret')
    }
  })
})
