import type { Fault } from '../fault.js'
import type { Scenario } from '../play.js'
import type { Script } from '../start-fault-server.js'
import { ok, createErrorFault } from './words.js'

const callMany = (count: number, call: () => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: count }, call))

/** Many calls against a service that counts: failures block, and a 429 is avoidable. */
export const bursts: readonly Scenario[] = [
  {
    title: '30 GET at once of a service that fails: at most 20 failures',
    script: () => [createErrorFault(500)],
    run: async ({ get }) => callMany(30, async () => get()),
    right: ({ heard, outcome }) => outcome === 'value' && heard.length <= 20,
  },
  {
    title: '30 POST, one after the other, of a service that rejects: at most 20 failures',
    script: () => [createErrorFault(400)],
    run: async ({ post }) => {
      for (let call = 0; call < 30; call++) await post().catch(() => undefined)
    },
    right: ({ heard, outcome }) => outcome === 'value' && heard.length <= 20,
  },
  {
    title: '15 POST at once whose connections are reset: each once',
    script: () => [{ kind: 'reset' }],
    run: async ({ post }) => callMany(15, async () => post()),
    right: ({ heard, outcome }) => outcome === 'value' && heard.length <= 15,
  },
  {
    title: '12 GET at once, 5 allowed in 2 s and announced: no 429',
    script: () => createFixedWindow(5, 2),
    run: async ({ get }) => Promise.all(Array.from({ length: 12 }, async () => get())),
    right: ({ heard, outcome }) => outcome === 'value' && heard.length === 12,
  },
  {
    title: '12 POST at once, 5 allowed in 2 s and announced: no 429',
    script: () => createFixedWindow(5, 2),
    run: async ({ post }) => Promise.all(Array.from({ length: 12 }, async () => post())),
    right: ({ heard, outcome }) => outcome === 'value' && heard.length === 12,
  },
  {
    title: 'GET, blocked for 30 s after too many failures: nothing is sent into the block',
    script: () => [
      {
        kind: 'response',
        status: 429,
        body: '{"error":"Too many failed requests. Wait 30s and try again.","code":"TOO_MANY_FAILURES"}',
      },
      ok,
    ],
    run: async ({ get }, { controller, heard }) => {
      const one = controller()
      const running = callMany(2, async () => get(one.signal))
      await heard(1)
      setTimeout(() => one.abort(), 3000)
      return running
    },
    // both may have gone out before the first response
    right: ({ heard }) => heard.length <= 2,
  },
]

/** A fixed window, announced with every response. */
function createFixedWindow(limit: number, seconds: number): Script {
  let end = 0
  let left = 0
  return (): Fault => {
    const now = Date.now() / 1000
    if (now >= end) {
      end = Math.ceil(now) + seconds
      left = limit
    }
    left -= 1
    const headers = {
      'x-ratelimit-limit-requests': String(limit),
      'x-ratelimit-remaining-requests': String(Math.max(0, left)),
      'x-ratelimit-reset-requests': String(end),
      date: new Date().toUTCString(),
    }
    return left < 0 ? createErrorFault(429, headers) : { ...ok, headers }
  }
}
