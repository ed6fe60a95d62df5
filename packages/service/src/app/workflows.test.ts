import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { adminKey, createWallet, startService, type Harness } from '../../test/harness.js'
import { createServer } from '../platform/server/create-server.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const redocly = join(
  dirname(createRequire(join(root, 'package.json')).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
)

let farebox: Harness
let server: Server
beforeAll(async () => {
  farebox = await startService({ video: { name: 'test', render: async () => new Uint8Array(8) } })
  server = createServer(farebox.service.fetch)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await farebox.service.close()
})

/**
 * Runs a workflow of the contract with Redocly respect, which checks statuses, content types and
 * schemas of every step by itself.
 */
async function runRespect(
  workflow: string,
  inputs: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const { port } = server.address() as AddressInfo
  const args = [
    'respect',
    `spec/workflows/${workflow}.arazzo.yaml`,
    '--server',
    `farebox=http://127.0.0.1:${port}/api/v1`,
  ]
  // as JSON: after a name, respect reads a value up to its first equals sign, and base64 may end
  // with two
  args.push('--input', JSON.stringify(inputs))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const child = spawn(process.execPath, [redocly, ...args], { cwd: root, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

it('a wallet pays, signs in, spends and looks at its ledger', async () => {
  const wallet = createWallet()
  const signIn = async () => (await farebox.signIn(wallet))['sign-in-with-x'] ?? ''
  const { code, output } = await runRespect('wallet', {
    walletAddress: wallet.address,
    payment: await farebox.pay(wallet),
    document: 'Tram fares',
    signInToSpend: await signIn(),
    signInForBalance: await signIn(),
    signInForLedger: await signIn(),
  })
  expect([code, output]).toEqual([0, expect.stringMatching(/Steps: 5 passed, 5 total/)])
  expect(await farebox.ledger.balance(wallet.address)).toBe(4_990_000n)
})

deepTest('a video is priced, queued and retrieved', async () => {
  const { code, output } = await runRespect('video', {
    apiKey: adminKey,
    model: 'local-test-clip-private',
    prompt: 'a tram at dawn',
    duration: '2s',
  })
  expect([code, output]).toEqual([0, expect.stringMatching(/Steps: 3 passed, 3 total/)])
})
