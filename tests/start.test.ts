import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { installPacked, sdk } from '@farebox/release/install-packed'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'

/** The command as it is published. */
const { folder, remove } = createTemporaryFolder('start')
let service: Server
beforeAll(async () => {
  await installPacked(folder, [...sdk, 'packages/command-line', 'packages/cli'])
  const data = {
    walletAddress: '0x1',
    balanceUsd: 5,
    canConsume: true,
    minimumTopUpUsd: 5,
    suggestedTopUpUsd: 10,
  }
  const limits = {
    accessPermitted: true,
    apiTier: { id: 'default', isCharged: true },
    balances: { USD: 5 },
    keyExpiration: null,
  }
  service = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const ofKey = { data: { ...limits, nextEpochBegins: '2027-01-01T00:00:00Z', rateLimits: [] } }
    response.end(
      JSON.stringify(
        request.url?.includes('rate_limits') === true ? ofKey : { success: true, data },
      ),
    )
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
})
afterAll(() => {
  service.close()
  remove()
})

/**
 * Each file that Node opens, compiles and links costs time, and their number is the same on every
 * machine. `pnpm bench start` measures the time.
 */
it.each<[args: string, most: number, env?: Readonly<Record<string, string>>]>([
  ['--version', 2],
  ['--help', 16],
  ['speech --help', 16],
  ['balance', 43, { FAREBOX_API_KEY: 'KEY' }],
  ['balance', 100, { FAREBOX_PRIVATE_KEY: `0x${'11'.repeat(32)}` }],
])('farebox %s loads at most %i modules', async (args, most, credential = {}) => {
  const { code, modules } = await listModules(args.split(' '), credential)
  expect(code).toBe(0)
  expect(modules.length).toBeLessThanOrEqual(most)
  // a budget that is far from the truth guards nothing
  expect(modules.length).toBeGreaterThan(0.8 * most)
})

/** The coverage of V8 names all files that ran. */
async function listModules(args: readonly string[], credential: Readonly<Record<string, string>>) {
  const coverage = mkdtempSync(join(folder, 'coverage-'))
  const { bin } = JSON.parse(
    readFileSync(join(folder, 'node_modules/@farebox/cli/package.json'), 'utf8'),
  ) as {
    readonly bin: Readonly<Record<'farebox', string>>
  }
  const { port } = service.address() as AddressInfo
  const env = {
    HOME: folder,
    FAREBOX_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
    NODE_V8_COVERAGE: coverage,
    ...credential,
  }
  const child = spawn(
    process.execPath,
    [join(folder, 'node_modules/@farebox/cli', bin.farebox), ...args],
    { env, stdio: 'ignore' },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  const found = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      readonly result: readonly { readonly url: string }[]
    }
    return result.map(({ url }) => url)
  })
  // the shim of DAYS_AHEAD is not part of the command
  return {
    code,
    modules: found.filter(
      (url) => url.startsWith('file:') && !url.endsWith('/tools/internal/testing/shift-date.cjs'),
    ),
  }
}
