// which client does right by scripted faults, judged by what the server heard: ours beside openai, stripe, octokit, azure, got and ky
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRight, play, scenarios } from '@farebox/testing/fault-server'
import { installPacked } from '../install-packed.mjs'
import { cache, installed } from './lib/installed.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const place = join(cache, 'faults')
spawnSync('npx', ['tsc', '-b'], { cwd: root, stdio: 'inherit' })
await installPacked(place)

/**
 * Each with a key and its own defaults; what repeats only when told to is told to, twice.
 * @type {Readonly<Record<string, import('@farebox/testing/fault-server').Make>>}
 */
const makers = {
  farebox: async (origin, limits) => {
    const { createFarebox } = await load(join(place, 'node_modules/farebox/dist/packed/index.js'))
    const { timeoutMs } = limits
    const farebox = createFarebox({ baseUrl: `${origin}/api/v1`, apiKey: 'KEY', ...(timeoutMs && { timeoutMs }), ...connecting(limits) })
    return {
      get: (signal) => farebox.listModels({}, { signal }),
      post: (signal) => farebox.queueVideo({ model: 'm', prompt: 'p', duration: '5s' }, { signal }),
    }
  },
  openai: async (origin, limits) => {
    const { default: OpenAI } = await load(join(installed('openai', '7.57.0'), 'index.mjs'))
    const { timeoutMs: timeout } = limits
    const client = new OpenAI({ apiKey: 'KEY', baseURL: `${origin}/api/v1`, ...(timeout && { timeout }), ...connecting(limits) })
    return {
      get: (signal) => client.get('/models', { signal }),
      post: (signal) => client.post('/video/queue', { body: {}, signal }),
    }
  },
  stripe: async (origin, { timeoutMs: timeout }) => {
    const { default: Stripe } = await load(join(installed('stripe', '23.1.0'), 'esm/stripe.esm.node.js'))
    const { hostname: host, port, protocol } = new URL(origin)
    const options = { host, port, protocol: protocol.slice(0, -1), maxNetworkRetries: 2, telemetry: false, ...(timeout && { timeout }) }
    const client = new Stripe('sk_test_KEY', options)
    // it takes no signal
    return { get: () => client.rawRequest('GET', '/v1/models'), post: () => client.rawRequest('POST', '/v1/video', {}) }
  },
  octokit: async (origin, limits) => {
    const { Octokit } = await load(join(installed('octokit', '5.0.5'), 'dist-bundle/index.js'))
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    // its own default, said again as it goes with the id, which keeps one client's queue apart from another's
    const once = (/** @type {number} */ _after, /** @type {any} */ { request }) => request.retryCount === 0
    const throttle = { id: origin, onRateLimit: once, onSecondaryRateLimit: once }
    const octokit = new Octokit({ auth: 'KEY', baseUrl: `${origin}/api/v1`, log, request: timed(limits), retry: { retries: 2 }, throttle })
    const dataOf = (/** @type {{ data: unknown }} */ { data }) => data
    return {
      get: (signal) => octokit.request('GET /models', { request: { signal } }).then(dataOf),
      post: (signal) => octokit.request('POST /video/queue', { request: { signal } }).then(dataOf),
    }
  },
  azure: async (origin, { timeoutMs: timeout }) => {
    const { getClient, createRestError } = await load(join(installed('@azure-rest/core-client', '2.9.0'), 'dist/esm/index.js'))
    const service = { allowInsecureConnection: true, retryOptions: { maxRetries: 2 }, credentials: { apiKeyHeaderName: 'authorization' } }
    const client = getClient(`${origin}/api/v1`, { key: 'Bearer KEY' }, service)
    const options = (/** @type {AbortSignal | undefined} */ abortSignal) => ({ abortSignal, ...(timeout && { timeout }) })
    // what its generated clients do with an answer
    const dataOf = (/** @type {{ status: string, body: unknown }} */ answer) => {
      if (answer.status !== '200') throw createRestError(answer)
      return answer.body
    }
    return {
      get: (signal) => client.path('/models').get(options(signal)).then(dataOf),
      post: (signal) =>
        client
          .path('/video/queue')
          .post({ ...options(signal), body: {} })
          .then(dataOf),
    }
  },
  got: async (origin, { timeoutMs, connectMs }) => {
    const { default: got } = await load(join(installed('got', '16.1.0'), 'dist/source/index.js'))
    const timeout = {
      ...(timeoutMs && { request: timeoutMs }),
      ...(connectMs && { connect: connectMs, secureConnect: connectMs }),
    }
    const options = { headers: { authorization: 'Bearer KEY' }, responseType: 'json', resolveBodyOnly: true, timeout }
    return {
      get: (signal) => got(`${origin}/api/v1/models`, { ...options, signal }),
      post: (signal) => got.post(`${origin}/api/v1/video/queue`, { ...options, json: {}, signal }),
    }
  },
  ky: async (origin, limits) => {
    const { default: ky } = await load(join(installed('ky', '2.1.0'), 'distribution/index.js'))
    const { timeoutMs: timeout } = limits
    const options = { headers: { authorization: 'Bearer KEY' }, ...(timeout && { timeout }), ...connecting(limits) }
    return {
      get: (signal) => ky(`${origin}/api/v1/models`, { ...options, signal }).json(),
      post: (signal) => ky.post(`${origin}/api/v1/video/queue`, { ...options, json: {}, signal }).json(),
    }
  },
}

/** Clients leave rejections behind that nobody can catch; they are theirs, and show in the counts. */
process.on('unhandledRejection', () => undefined)
process.on('warning', () => undefined).removeAllListeners('warning')

const names = Object.keys(makers)
/** @type {string[][]} */
const rows = []
/** @type {readonly (readonly [number, import('@farebox/testing/fault-server').Scenario])[]} */
const numbered = [...scenarios.entries()]
for (const [index, scenario] of numbered.filter(([, { heavy }]) => heavy)) {
  rows[index] = []
  for (const make of Object.values(makers)) rows[index].push(await judged(scenario, make))
}
const light = numbered.filter(([, { heavy }]) => !heavy).values()
const lane = async () => {
  for (const [index, scenario] of light) rows[index] = await Promise.all(Object.values(makers).map((make) => judged(scenario, make)))
}
await Promise.all(Array.from({ length: 6 }, lane))
const rights = names.map((_, column) => rows.filter((row) => row[column] === 'right').length)
const width = Math.max(...scenarios.map((/** @type {{ title: string }} */ { title }) => title.length))
const line = (/** @type {string} */ title, /** @type {readonly string[]} */ cells) =>
  `${title.padEnd(width)}  ${cells.map((cell) => cell.padEnd(20)).join('')}`.trimEnd()
console.log(line('', names))
for (const [index, row] of rows.entries()) console.log(line(scenarios[index].title, row))
console.log(line(`right, of ${scenarios.length}`, rights.map(String)))
process.exit(rights[0] === scenarios.length ? 0 : 1)

/**
 * @param {import('@farebox/testing/fault-server').Scenario} scenario
 * @param {import('@farebox/testing/fault-server').Make} make
 */
async function judged(scenario, make) {
  const seen = await play(scenario, make)
  if (isRight(scenario, seen)) return 'right'
  const { heard, outcome, ms, leaks } = seen
  const end = outcome === 'still waiting' ? 'no end' : outcome
  return `${heard.length}x ${end} ${(ms / 1000).toFixed(1)}s${leaks > 0 ? ` +${leaks}` : ''}`
}

/**
 * A fetch that gives up a connection in time, for a client that takes a fetch.
 * @param {{ connectMs?: number }} limits
 */
function connecting({ connectMs }) {
  if (connectMs === undefined) return {}
  const Agent = Reflect.get(Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')), 'constructor')
  const dispatcher = new Agent({ connect: { timeout: connectMs } })
  return { fetch: (/** @type {string} */ url, /** @type {object} */ init) => fetch(url, { ...init, dispatcher }) }
}

/**
 * The same, with a time for each attempt, for a client that has none of its own.
 * @param {{ timeoutMs?: number, connectMs?: number }} limits
 */
function timed(limits) {
  const { timeoutMs } = limits
  const inner = connecting(limits).fetch ?? fetch
  if (timeoutMs === undefined) return { fetch: inner }
  const within = (/** @type {AbortSignal | undefined} */ signal) =>
    AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
  return {
    fetch: (/** @type {string} */ url, /** @type {RequestInit} */ init) =>
      inner(url, { ...init, signal: within(init.signal ?? undefined) }),
  }
}

/** @param {string} path @returns {Promise<any>} */
function load(path) {
  return import(pathToFileURL(path).href)
}
