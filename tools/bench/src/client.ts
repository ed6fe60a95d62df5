// the client beside openapi-fetch and openai: bytes, in-process cost of a call, type instantiations, import time
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { installPacked } from '../install-packed.mjs'
import { cache, installed } from './lib/installed.mjs'
import { instantiations } from './lib/instantiations.mjs'

const rounds = Number(process.argv[2] ?? 60)
const root = fileURLToPath(new URL('../../', import.meta.url))
const openai = installed('openai', '7.57.0')

spawnSync('npx', ['tsc', '-b'], { cwd: root, stdio: 'inherit' })
const place = join(cache, 'client')
mkdirSync(place, { recursive: true })
await installPacked(place)
const openapiFetch = join(place, 'node_modules/openapi-fetch/dist/index.mjs')
const alias = { openai }

const over = /** @type {string[]} */ ([])
/**
 * @param {string} what
 * @param {number} found
 * @param {number} most
 */
function held(what, found, most) {
  if (!(found <= most)) over.push(`${what} is ${found.toFixed(2)}, and ${most} is the most`)
}

await bytes()
await cost()
types()
imports()
if (over.length > 0) {
  console.error(`Over: ${over.join('; ')}.`)
  process.exitCode = 1
}

/** Minified and compressed, of one operation, and of all that the package has. */
async function bytes() {
  const bearer = `import { bearer } from '@farebox/auth'\nimport { compose, fetchSend } from '@farebox/middleware'\nimport { pace, retry } from '@farebox/retry'\n`
  const send = "const send = compose(fetchSend(fetch), [retry(), pace(), bearer('KEY')])\n"
  const one = `${bearer}import { quoteVideo } from '@farebox/client/operations'\n${send}export const call = () => quoteVideo({ baseUrl: '/api/v1', send }, { model: 'local-test-clip', duration: '5s' })`
  const all = `${bearer}import { createClient } from '@farebox/client'\nexport const client = createClient({ baseUrl: '/api/v1', middleware: [retry(), pace(), bearer('KEY')] })`
  const plain = `import createClient from 'openapi-fetch'\nconst client = createClient({ baseUrl: '/api/v1' })\nclient.use({ onRequest: ({ request }) => { request.headers.set('authorization', 'Bearer KEY') } })\nexport const call = () => client.POST('/video/quote', { body: { model: 'local-test-clip', duration: '5s' } })`
  const validators =
    "\nimport { quoteVideo as validators } from '@farebox/zod/core/operations'\nexport const body = validators.body['application/json'].safeParse\n" +
    "export const answer = (status) => validators.responses[status]['application/json'].safeParse"
  const theirs = `import OpenAI from 'openai'\nexport const call = () => new OpenAI({ apiKey: 'KEY' }).post('/video/quote', { body: { model: 'local-test-clip', duration: '5s' } })`
  const table = {}
  for (const [name, source] of Object.entries({
    'one POST, bearer, retry, pace': one,
    'the same, and its validators': one + validators,
    'every operation, bearer, retry, pace': all,
    'the SDK': "import { createFarebox } from 'farebox'\nexport const farebox = createFarebox({ apiKey: 'KEY' })",
    'openapi-fetch, bearer alone': plain,
    openai: theirs,
  })) {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: place },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      platform: 'browser',
      alias,
      logLevel: 'error',
    })
    const text = outputFiles[0]?.contents ?? new Uint8Array()
    table[name] = { minified: text.length, compressed: gzipSync(text, { level: 9 }).length }
  }
  console.log('Bytes of a bundle. Target: one POST with bearer, retry and pace at most 7,168; with its validators at most 13,312.')
  console.table(table)
  held('one POST', table['one POST, bearer, retry, pace'].compressed, 7168)
  held('one POST with its validators', table['the same, and its validators'].compressed, 13_312)
}

/** Against a fetch that answers at once, with what the service announces. The parties take turns, another one first each round. */
async function cost() {
  const entry = join(place, 'cost.mjs')
  writeFileSync(
    entry,
    `export { bearer } from '@farebox/auth'
export { createClient } from '@farebox/client'
export { quoteVideo } from '@farebox/client/operations'
export { compose, fetchSend } from '@farebox/middleware'
export { pace, retry } from '@farebox/retry'
export { createFarebox } from 'farebox'
`,
  )
  const ours = await import(pathToFileURL(entry).href)
  const { default: createPlain } = await import(pathToFileURL(openapiFetch).href)
  const { default: OpenAI } = await import(pathToFileURL(join(openai, 'index.mjs')).href)

  const answer = JSON.stringify({ quote: 0.25 })
  const headers = {
    'content-type': 'application/json',
    'x-ratelimit-limit-requests': '1000000000',
    'x-ratelimit-remaining-requests': '1000000000',
    'x-ratelimit-reset-requests': String(Math.ceil(Date.now() / 1000) + 3600),
  }
  const fetch = async () => new Response(answer, { headers })
  const baseUrl = 'http://127.0.0.1:4020/api/v1'
  const body = { model: 'local-test-clip', duration: '5s' }
  const middleware = [ours.retry(), ours.pace(), ours.bearer('KEY')]

  const plain = createPlain({ baseUrl, fetch })
  plain.use({
    onRequest: (/** @type {{ request: Request }} */ { request }) => {
      request.headers.set('authorization', 'Bearer KEY')
    },
  })
  const client = ours.createClient({ baseUrl, fetch, middleware })
  const service = { baseUrl, send: ours.compose(ours.fetchSend(fetch), middleware) }
  const farebox = ours.createFarebox({ baseUrl, fetch, apiKey: 'KEY' })
  const theirs = new OpenAI({ apiKey: 'KEY', baseURL: baseUrl, fetch })

  const parties = {
    'the fetch alone': async () => (await fetch()).json(),
    'openapi-fetch, auth middleware': () => plain.POST('/video/quote', { body }),
    'a method, bearer, retry, pace': () => client.quoteVideo(body),
    'a function, bearer, retry, pace': () => ours.quoteVideo(service, body),
    'by path, bearer, retry, pace': () => client.POST('/video/quote', { body }),
    'the SDK, everything on': () => farebox.quoteVideo(body),
    'openai, retries': () => theirs.post('/video/quote', { body }),
  }
  const times = await measured(parties, 400)
  const base = times['openapi-fetch, auth middleware'] ?? NaN
  const table = Object.fromEntries(
    Object.entries(times).map(([name, time]) => [
      name,
      { 'µs a call': (time * 1000).toFixed(1), 'to openapi-fetch': (time / base).toFixed(2) },
    ]),
  )
  console.log(
    `In-process cost of a call, median of ${rounds} rounds of 400 that take turns, Node ${process.versions.node}. Target: 0.8 of openapi-fetch.`,
  )
  console.table(table)
  held('the cost of a method', (times['a method, bearer, retry, pace'] ?? NaN) / base, 0.8)
  held('the cost of a function', (times['a function, bearer, retry, pace'] ?? NaN) / base, 0.8)
}

/** What five operations ask of the compiler. */
function types() {
  const table = Object.fromEntries(Object.entries(instantiations()).map(([name, count]) => [name, { instantiations: count }]))
  console.log('Type instantiations of five operations. Target: at most 2,000.')
  console.table(table)
  held('the instantiations of methods', table['methods'].instantiations, 2000)
}

/** In a process of its own each time; the parties take turns. The quickest counts: the work is the same each time, and what else the machine does only adds. */
function imports() {
  const parties = {
    'openapi-fetch': 'openapi-fetch',
    '@farebox/client': '@farebox/client',
    '@farebox/client/operations': '@farebox/client/operations',
    farebox: 'farebox',
    openai: join(openai, 'index.mjs'),
  }
  const times = Object.fromEntries(Object.keys(parties).map((name) => [name, /** @type {number[]} */ ([])]))
  for (let round = 0; round < 41; round++) {
    for (const [name, module] of Object.entries(parties)) {
      const source = `const start = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - start)`
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { cwd: place, encoding: 'utf8' })
      times[name]?.push(Number(stdout))
    }
  }
  const base = Math.min(...(times['openapi-fetch'] ?? []))
  const ratios = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, Math.min(...all) / base]))
  const table = Object.fromEntries(
    Object.entries(times).map(([name, all]) => [
      name,
      { ms: Math.min(...all).toFixed(1), median: median(all).toFixed(1), 'to openapi-fetch': (ratios[name] ?? NaN).toFixed(2) },
    ]),
  )
  console.log(
    'Time to import, as published, the quickest of 41 processes each that take turns. Target: @farebox/client and its operations at most 1.3 of openapi-fetch.',
  )
  console.table(table)
  for (const name of ['@farebox/client', '@farebox/client/operations']) held(`the import of ${name}`, ratios[name] ?? NaN, 1.3)
}

/**
 * @param {Readonly<Record<string, () => Promise<unknown>>>} parties
 * @param {number} calls
 */
async function measured(parties, calls) {
  const names = Object.keys(parties)
  const times = Object.fromEntries(names.map((name) => [name, /** @type {number[]} */ ([])]))
  for (let round = -10; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + 10) % names.length] ?? ''
      const start = performance.now()
      for (let call = 0; call < calls; call++) await parties[name]?.()
      if (round >= 0) times[name]?.push((performance.now() - start) / calls)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])]))
}

function median(/** @type {readonly number[]} */ numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
}
