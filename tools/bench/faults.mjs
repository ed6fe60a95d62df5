// which client does right by scripted faults, judged by what the server heard: ours beside openai, stripe, got and ky as they come
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { publish } from '../published.mjs'
import { cache, installed } from './lib/installed.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const place = join(cache, 'faults')
spawnSync('npx', ['tsc', '-b'], { cwd: root, stdio: 'inherit' })
await publish(place)
await build({
  entryPoints: [join(root, 'tests/fault-server/index.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'es2022',
  outfile: join(place, 'fault-server.mjs'),
  logLevel: 'error',
})
const { startFaultServer } = await import(pathToFileURL(join(place, 'fault-server.mjs')).href)

/** @typedef {{ get: (signal?: AbortSignal) => Promise<unknown>, post: (signal?: AbortSignal) => Promise<unknown> }} Party */

/** Each with a key and its own defaults; what repeats only when told to is told to, twice. */
const makers = {
  farebox: async (/** @type {string} */ origin) => {
    const { createFarebox } = await import(pathToFileURL(join(place, 'node_modules/farebox/dist/packed/index.js')).href)
    const farebox = createFarebox({ baseUrl: `${origin}/api/v1`, apiKey: 'KEY' })
    return {
      get: (/** @type {AbortSignal} */ signal) => farebox.listModels({}, { signal }),
      post: (/** @type {AbortSignal} */ signal) => farebox.queueVideo({ model: 'm', prompt: 'p', duration: '5s' }, { signal }),
    }
  },
  openai: async (/** @type {string} */ origin) => {
    const { default: OpenAI } = await import(pathToFileURL(join(installed('openai', '7.57.0'), 'index.mjs')).href)
    const client = new OpenAI({ apiKey: 'KEY', baseURL: `${origin}/api/v1` })
    return {
      get: (/** @type {AbortSignal} */ signal) => client.get('/models', { signal }),
      post: (/** @type {AbortSignal} */ signal) => client.post('/video/queue', { body: {}, signal }),
    }
  },
  stripe: async (/** @type {string} */ origin) => {
    const { default: Stripe } = await import(pathToFileURL(join(installed('stripe', '23.1.0'), 'esm/stripe.esm.node.js')).href)
    const { hostname, port } = new URL(origin)
    const client = new Stripe('sk_test_KEY', { host: hostname, port, protocol: 'http', maxNetworkRetries: 2, telemetry: false })
    return { get: () => client.rawRequest('GET', '/v1/models'), post: () => client.rawRequest('POST', '/v1/video', {}) }
  },
  got: async (/** @type {string} */ origin) => {
    const { default: got } = await import(pathToFileURL(join(installed('got', '16.1.0'), 'dist/source/index.js')).href)
    const options = { headers: { authorization: 'Bearer KEY' }, responseType: 'json' }
    return {
      get: (/** @type {AbortSignal} */ signal) => got(`${origin}/api/v1/models`, { ...options, signal }),
      post: (/** @type {AbortSignal} */ signal) => got.post(`${origin}/api/v1/video/queue`, { ...options, json: {}, signal }),
    }
  },
  ky: async (/** @type {string} */ origin) => {
    const { default: ky } = await import(pathToFileURL(join(installed('ky', '2.1.0'), 'distribution/index.js')).href)
    const options = { headers: { authorization: 'Bearer KEY' } }
    return {
      get: (/** @type {AbortSignal} */ signal) => ky(`${origin}/api/v1/models`, { ...options, signal }).json(),
      post: (/** @type {AbortSignal} */ signal) => ky.post(`${origin}/api/v1/video/queue`, { ...options, json: {}, signal }).json(),
    }
  },
}

const ok = { kind: 'answer' }
const refused = (/** @type {number} */ status, headers = {}) => ({ kind: 'answer', status, headers, body: '{"error":"no"}' })
const inSeconds = (/** @type {number} */ seconds) => String(Math.ceil(Date.now() / 1000) + seconds)

/**
 * @typedef {{ heard: { at: number, headers: Record<string, string> }[], outcome: 'value' | 'error', ms: number, elsewhere: { headers: Record<string, string> }[] }} Seen
 * @type {Readonly<Record<string, { script: () => any, run?: (party: Party, origin: string) => Promise<unknown>, right: (seen: Seen) => boolean }>>}
 */
const scenarios = {
  'GET, 503 then 200: twice': {
    script: () => [refused(503), ok],
    run: ({ get }) => get(),
    right: ({ heard, outcome }) => heard.length === 2 && outcome === 'value',
  },
  'POST, 503 then 200: twice, as the contract says': {
    script: () => [refused(503), ok],
    right: ({ heard, outcome }) => heard.length === 2 && outcome === 'value',
  },
  'GET, connection lost then 200: twice': {
    script: () => [{ kind: 'reset' }, ok],
    run: ({ get }) => get(),
    right: ({ heard, outcome }) => heard.length === 2 && outcome === 'value',
  },
  'POST, connection lost: once, it may have been done': {
    script: () => [{ kind: 'reset' }, ok],
    right: ({ heard, outcome }) => heard.length === 1 && outcome === 'error',
  },
  'POST, lost after the headers: once': {
    script: () => [{ kind: 'reset-after-headers' }, ok],
    right: ({ heard, outcome }) => heard.length === 1 && outcome === 'error',
  },
  'POST, body cut off: once, and no value': {
    script: () => [{ kind: 'truncated' }, ok],
    right: ({ heard, outcome }) => heard.length === 1 && outcome === 'error',
  },
  'POST, 409: once': { script: () => [refused(409), ok], right: ({ heard }) => heard.length === 1 },
  'POST, 402: once': { script: () => [refused(402), ok], right: ({ heard }) => heard.length === 1 },
  'GET, 429 with retry-after: not before it': {
    script: () => [refused(429, { 'retry-after': '2' }), ok],
    run: ({ get }) => get(),
    right: ({ heard: [first, second], outcome }) => outcome === 'value' && (second?.at ?? 0) - (first?.at ?? 0) >= 2000,
  },
  'POST, 429 with x-ratelimit-reset-requests: not before it': {
    script: () => [refused(429, { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': inSeconds(2) }), ok],
    right: ({ heard: [first, second], outcome }) => outcome === 'value' && (second?.at ?? 0) - (first?.at ?? 0) >= 1900,
  },
  'GET, retry-after of an hour: fails at once': {
    script: () => [refused(429, { 'retry-after': '3600' }), ok],
    run: ({ get }) => get(),
    right: ({ heard, outcome, ms }) => heard.length === 1 && outcome === 'error' && ms < 1000,
  },
  'GET, a page in HTML with 200: no value': {
    script: () => [{ kind: 'html' }],
    run: ({ get }) => get(),
    right: ({ outcome }) => outcome === 'error',
  },
  'GET, an empty body with 200: no value': {
    script: () => [{ kind: 'empty' }],
    run: ({ get }) => get(),
    right: ({ outcome }) => outcome === 'error',
  },
  'GET, redirect to another origin: the key stays': {
    script: () => [{ kind: 'redirect', to: 'ELSEWHERE' }],
    run: ({ get }) => get(),
    right: ({ elsewhere }) => elsewhere.every(({ headers }) => headers['authorization'] === undefined),
  },
  'abort while it waits to repeat: settles within 50 ms': {
    script: () => [refused(503, { 'retry-after': '5' }), ok],
    run: async ({ get }) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 200)
      return get(controller.signal)
    },
    right: ({ outcome, ms }) => outcome === 'error' && ms < 250,
  },
  '30 calls at once of a service that fails: at most 20 failures': {
    script: () => [refused(500)],
    run: ({ get }) => Promise.all(Array.from({ length: 30 }, () => get().catch(() => undefined))),
    right: ({ heard }) => heard.length <= 20,
  },
  '12 calls at once, 5 allowed in 2 s and announced: no 429': {
    script: () => limited(5, 2),
    run: ({ get }) => Promise.all(Array.from({ length: 12 }, () => get())),
    right: ({ outcome, heard }) => outcome === 'value' && heard.length === 12,
  },
}

/** A fixed window, announced with every answer. */
function limited(/** @type {number} */ limit, /** @type {number} */ seconds) {
  let end = 0
  let left = 0
  return () => {
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
    return left < 0 ? refused(429, headers) : { ...ok, headers }
  }
}

const table = /** @type {Record<string, Record<string, string>>} */ ({})
const rights = /** @type {Record<string, number>} */ ({})
for (const [title, scenario] of Object.entries(scenarios)) {
  const row = /** @type {Record<string, string>} */ ({})
  table[title] = row
  await Promise.all(
    Object.entries(makers).map(async ([name, make]) => {
      row[name] = ''
      row[name] = await judged(scenario, make)
      rights[name] = (rights[name] ?? 0) + Number(row[name] === 'right')
    }),
  )
}
table[`right, of ${Object.keys(scenarios).length}`] = Object.fromEntries(
  Object.entries(rights).map(([name, count]) => [name, String(count)]),
)
console.table(table)
if (rights['farebox'] !== Object.keys(scenarios).length) process.exitCode = 1
process.exit()

/**
 * @param {(typeof scenarios)[string]} scenario
 * @param {(origin: string) => Promise<any>} make
 */
async function judged({ script, run = ({ post }) => post(), right }, make) {
  const elsewhere = await startFaultServer([ok])
  const steps = script()
  const server = await startFaultServer(
    Array.isArray(steps) ? steps.map((step) => (step.to === 'ELSEWHERE' ? { ...step, to: `${elsewhere.origin}/` } : step)) : steps,
  )
  const party = await make(server.origin).catch((/** @type {unknown} */ error) => error)
  if (party instanceof Error) return `does not run here`
  const start = performance.now()
  const outcome = await Promise.race([
    run(party, server.origin).then(
      () => 'value',
      () => 'error',
    ),
    new Promise((resolve) => setTimeout(resolve, 20_000, 'still waiting')),
  ])
  const seen = { heard: [...server.heard], outcome, ms: performance.now() - start, elsewhere: [...elsewhere.heard] }
  const verdict = right(seen) ? 'right' : `${seen.heard.length}x, ${outcome}, ${(seen.ms / 1000).toFixed(1)} s`
  void server.close()
  void elsewhere.close()
  return verdict
}
