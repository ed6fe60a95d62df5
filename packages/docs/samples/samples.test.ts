import { generateKeyPairSync, sign } from 'node:crypto'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSiwxHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { base58 } from '@scure/base'
import { createFarebox } from 'farebox'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { called, expected, notRun } from './expected.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../..')
const home = process.cwd()

let service: ChildProcess
let folder: string
let environment: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-samples-'))
  for (const name of ['fare-table.pdf', 'fare-table.docx'])
    await copyFile(join(root, 'packages/service/fixtures', name), join(folder, name))
  const started = await startService()
  service = started.service
  const baseUrl = `${started.origin}/api/v1`
  const key = generatePrivateKey()
  const signer = privateKeySigner(key)
  const admin = createFarebox({ baseUrl, apiKey: 'sample-admin-key' })
  const speech = await admin.createSpeech({
    input: 'This is how I sound when I read a fare table aloud, slowly, from the first zone to the last one.',
    speed: 0.6,
    response_format: 'wav',
  })
  await writeFile(join(folder, 'voice.wav'), new Uint8Array(await speech.arrayBuffer()))
  await createFarebox({ baseUrl, wallet: signer }).topUp(5)
  const { queue_id } = await admin.queueVideo({ model: 'local-test-clip', prompt: 'A tram', duration: '2s', resolution: '256p' })
  const clip = await admin.generateVideo({ model: 'local-test-clip', queue_id }, { pollMs: 100 })
  await clip.body?.cancel()
  await writeFile(join(folder, 'inference.key'), 'sample-admin-key\n')
  environment = {
    FAREBOX_BASE_URL: baseUrl,
    FAREBOX_API_KEY: 'sample-admin-key',
    WALLET_KEY: key,
    WALLET_ADDRESS: signer.address,
    QUEUE_ID: queue_id,
  }
})

afterAll(async () => {
  process.chdir(home)
  service.kill('SIGTERM')
  await new Promise((resolve) => service.once('exit', resolve))
  await rm(folder, { recursive: true, force: true })
})

afterEach(() => void vi.unstubAllEnvs())

describe('the samples of the site', async () => {
  const files = await readdir(here, { recursive: true })
  const samples = files.filter((name) => /\.(?:ts|sh)$/.test(name) && !['samples.test.ts', 'expected.ts'].includes(name)).toSorted()

  it('are all run, but for those that stand in the table with a reason', () => {
    expect(samples).toEqual([...Object.keys(expected), ...Object.keys(notRun), ...called].toSorted())
  })

  it('are all shown on a page', async () => {
    const pages = await readdir(join(here, '../src/content/docs'), { recursive: true, withFileTypes: true })
    const texts = pages.filter((entry) => /\.mdx?$/.test(entry.name)).map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'))
    const shown = (await Promise.all(texts)).join('\n')
    expect(samples.filter((name) => !name.startsWith('api/') && !shown.includes(`file="${name}"`))).toEqual([])
  })

  it.each(Object.entries(expected))('%s', async (name, output) => {
    const printed = name.endsWith('.sh') ? await runShell(name) : await runModule(name)
    expect(printed).toMatch(output)
  })

  it('wallet/browser-evm.ts, with a provider as browsers have it', async () => {
    const { connect } = await import('./wallet/browser-evm.js')
    const account = privateKeyToAccount(generatePrivateKey() as `0x${string}`)
    const ethereum = {
      request: async ({ method, params = [] }: { readonly method: string; readonly params?: readonly string[] }) => {
        if (method === 'eth_requestAccounts') return [account.address]
        if (method === 'personal_sign') return account.signMessage({ message: { raw: Buffer.from((params[0] ?? '').slice(2), 'hex') } })
        throw new Error(`unexpected ${method}`)
      },
    }
    const farebox = await connect(ethereum, environment['FAREBOX_BASE_URL'] ?? '')
    expect((await farebox.balance()).balanceUsd).toBe(0)
  })

  it('wallet/browser-solana.ts, with a wallet as adapters have it', async () => {
    const { connect } = await import('./wallet/browser-solana.js')
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const address = base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
    const adapter = {
      publicKey: { toBase58: () => address },
      signMessage: async (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey)),
    }
    expect((await connect(adapter, environment['FAREBOX_BASE_URL'] ?? '').balance()).balanceUsd).toBe(0)
  })
})

async function runShell(name: string): Promise<string> {
  const signer = privateKeySigner(environment['WALLET_KEY'] ?? '')
  const { origin, host } = new URL(environment['FAREBOX_BASE_URL'] ?? '')
  const signIn = await createSiwxHeader(signer, { domain: host, uri: origin, statement: 'Sign in to Farebox API' })
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const env = { ...process.env, ...environment, SIGN_IN_WITH_X: signIn, PATH: path }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', join(here, name)], { cwd: folder, env })
  return stdout
}

/** Runs in this process: a module that has been imported to its end has done its work. */
async function runModule(name: string): Promise<string> {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => void lines.push(values.map(text).join(' ')))
  for (const [key, value] of Object.entries(environment)) vi.stubEnv(key, value)
  process.chdir(folder)
  try {
    vi.resetModules()
    await import(`./${relative(here, join(here, name))}`)
    return lines.join('\n')
  } finally {
    log.mockRestore()
    process.chdir(home)
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

async function startService(): Promise<{ readonly service: ChildProcess; readonly origin: string }> {
  const command = join(root, 'packages/service/dist/cli.js')
  const service = spawn(process.execPath, [command, '--port', '0', '--data', join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAREBOX_ADMIN_KEY: 'sample-admin-key' },
  })
  const origin = await new Promise<string>((resolve, reject) => {
    let output = ''
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, found] = /listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    service.once('exit', (code) => reject(new Error(`The service ended with ${code} before it was ready:\n${output}`)))
  })
  return { service, origin }
}
