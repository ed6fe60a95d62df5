import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Arguments } from '@farebox/command-line'
import { installTarballs } from '@farebox/release/install-packed'
import { cache } from '@farebox/testing/install-package'
import { measureGeneratedClients } from './client/generated-clients.js'
import { measureCallCost, type Limit, type Setup } from './client/cost-of-calls.js'
import { measureInstantiations } from './instantiations.js'
import { parseRounds, computeMedian, showTable } from './measure.js'
import { installPeer } from './peer-versions.js'
import { spawnSync } from 'node:child_process'
import { measureSize } from './bundled.js'

export async function benchmarkClient(args: Arguments): Promise<void> {
  const rounds = parseRounds(args.operands, 60)
  const place = join(cache, 'client')
  mkdirSync(place, { recursive: true })
  await installTarballs(place)
  // its ESM entry: an alias to the folder would bundle the CommonJS one, which is half as large
  // again
  const setup: Setup = {
    place,
    openai: join(installPeer('openai'), 'index.mjs'),
    save: args.has('save'),
  }
  await showBundleSizes(setup)
  const limits = [
    ...(await measureCallCost(setup, rounds)),
    ...countInstantiations(),
    ...measureImportTimes(setup),
  ]
  const over = limits.filter(({ found, most }) => !(found <= most))
  if (over.length > 0) {
    console.error(
      `Over: ${over.map(({ what, found, most }) => `${what} is ${found.toFixed(2)}, and ${most} is the most`).join('; ')}.`,
    )
    process.exitCode = 1
  }
}

/** The work of the compiler for five operations. */
function countInstantiations(): readonly Limit[] {
  const counts = measureInstantiations()
  console.log('Type instantiations of five operations. Target: at most 2,000.')
  console.table(
    Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, { instantiations: count }]),
    ),
  )
  return [{ what: 'the number of instantiations of methods', found: counts.methods, most: 2000 }]
}

const processes = 41

/**
 * The processor time to import each package, in a process of its own each time: other work of the
 * machine makes a wait longer, and hardly the work. The lower quartile counts, since what disturbs
 * a process only adds, and the least of all is chance.
 */
function measureImportTimes({ place, openai, save }: Setup): readonly Limit[] {
  const modules = {
    'openapi-fetch': 'openapi-fetch',
    '@farebox/client': '@farebox/client',
    '@farebox/client/operations': '@farebox/client/operations',
    farebox: 'farebox',
    openai,
  }
  const parties = Object.entries(modules).map(([name, module]) => ({
    name,
    module,
    times: [] as number[],
  }))
  for (let round = 0; round < processes; round++) {
    for (const { module, times } of parties) {
      const source = `const start = process.cpuUsage(); await import(${JSON.stringify(module)}); const { user, system } = process.cpuUsage(start); console.log((user + system) / 1000)`
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
        cwd: place,
        encoding: 'utf8',
      })
      times.push(Number(stdout))
    }
  }
  const rows = parties.map(({ name, times }) => ({
    name,
    ms: computeLowerQuartile(times),
    median: computeMedian(times),
  }))
  const base = rows[0]?.ms ?? NaN
  console.log(
    `Processor time to import, as published, lower quartile of ${processes} processes each that take turns. Target: @farebox/client and its operations at most 1.3 of openapi-fetch.`,
  )
  const figure = (value: number, digits: number) => Number(value.toFixed(digits))
  const table = rows.map((row) => [
    row.name,
    {
      ms: figure(row.ms, 1),
      median: figure(row.median, 1),
      'to openapi-fetch': figure(row.ms / base, 2),
    },
  ])
  showTable(Object.fromEntries(table), save && 'client-imports')
  return rows
    .filter(({ name }) => name.startsWith('@farebox/client'))
    .map(({ name, ms }) => ({ what: `the import of ${name}`, found: ms / base, most: 1.3 }))
}

function computeLowerQuartile(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 2] ?? NaN
}

const middleware = `import { bearer } from '@farebox/auth'
import { compose, fetchSend } from '@farebox/middleware'
import { rateLimit, retry } from '@farebox/retry'
`
const oneOperation = `${middleware}import { quoteVideo } from '@farebox/client/operations'
const send = compose(fetchSend(fetch), [retry(), rateLimit(), bearer('KEY')])
export const call = () => quoteVideo({ baseUrl: '/api/v1', send }, { model: 'local-test-clip', duration: '5s' })
`
const bearerAlone = `import { bearer } from '@farebox/auth'
import { compose, fetchSend } from '@farebox/middleware'
import { quoteVideo } from '@farebox/client/operations'
const send = compose(fetchSend(fetch), [bearer('KEY')])
export const call = (body) => quoteVideo({ baseUrl: '/api/v1', send }, body)
`
const itsValidators = `import { quoteVideo as validators } from '@farebox/zod/core/operations'
export const body = validators.body['application/json'].safeParse
export const answer = (status) => validators.responses[status]['application/json'].safeParse
`
const everyOperation = `${middleware}import { createClient } from '@farebox/client'
export const client = createClient({ baseUrl: '/api/v1', middleware: [retry(), rateLimit(), bearer('KEY')] })
`
const sdkWithWallet = `import { createFarebox } from 'farebox'
import { privateKeySigner } from '@farebox/auth/keys'
export const farebox = createFarebox({ wallet: privateKeySigner('KEY') })
`
const sdk = `import { createFarebox } from 'farebox'
export const farebox = createFarebox({ apiKey: 'KEY' })
`
const openapiFetch = `import createClient from 'openapi-fetch'
const client = createClient({ baseUrl: '/api/v1' })
client.use({ onRequest: ({ request }) => { request.headers.set('authorization', 'Bearer KEY') } })
export const call = () => client.POST('/video/quote', { body: { model: 'local-test-clip', duration: '5s' } })
`
const printOpenaiCall = (entry: string): string => `import OpenAI from ${JSON.stringify(entry)}
export const call = () => new OpenAI({ apiKey: 'KEY' }).post('/video/quote', { body: { model: 'local-test-clip', duration: '5s' } })
`

/** Minified and compressed: one operation, and all that the package has. A test has their budgets. */
async function showBundleSizes({ place, openai, save }: Setup): Promise<void> {
  const size = (source: string) => measureSize(source, place, { platform: 'browser' })
  console.log('Bytes of a bundle.')
  const table = {
    'Farebox: one POST, bearer': await size(bearerAlone),
    'Farebox: one POST, bearer, retry, rateLimit': await size(oneOperation),
    'Farebox: the same, and its validators': await size(oneOperation + itsValidators),
    'Farebox: every operation': await size(everyOperation),
    'Farebox: the SDK': await size(sdk),
    'Farebox: the SDK, a wallet that signs in and pays': await size(sdkWithWallet),
    'openapi-fetch: one POST, bearer': await size(openapiFetch),
    ...(await measureGeneratedClients(place)),
    openai: await size(printOpenaiCall(openai)),
    'venice-x402-client: a wallet that signs in and pays': await measureSize(
      `export { VeniceClient } from 'venice-x402-client'`,
      installPeer('venice-x402-client', ['viem@2.57.1'], { viem: '2.57.1' }),
      { platform: 'browser' },
    ),
  }
  showTable(table, save && 'client-sizes')
}
