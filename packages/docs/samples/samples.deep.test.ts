import { generateKeyPairSync, sign } from 'node:crypto'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSiwxHeader } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { base58 } from '@scure/base'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startLocalService, type LocalService } from './local-service.js'
import { called, expected, notRun } from './expected.js'
import { startPython, type Python } from './python.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../..')
const pages = join(here, '../src/content/docs')
const home = process.cwd()
/** A folder with the commands, as installed packages have them. */
let commands: string
let python: Python

let service: LocalService
const chooseEnvironment = (name: string) =>
  name.startsWith('top-up/') ? service.withEmptyWallet : service.environment

beforeAll(async () => {
  commands = await mkdtemp(join(tmpdir(), 'farebox-command-'))
  for (const [name, file] of Object.entries({
    farebox: 'cli/dist/bin.js',
    'farebox-service': 'service/dist/bin.js',
  })) {
    const line = `exec "${process.execPath}" --liftoff-only "${join(root, 'packages', file)}" "$@"`
    await writeFile(join(commands, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  }
  ;[python, service] = await Promise.all([startPython(), startLocalService()])
})

afterAll(async () => {
  process.chdir(home)
  await service.stop()
  await rm(commands, { recursive: true })
})

afterEach(({ task }) => {
  vi.unstubAllEnvs()
  if (task.result?.state === 'fail') process.stderr.write(service.log())
})

describe('the samples of the site', async () => {
  const folders = (await readdir(here, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules',
  )
  const files = await Promise.all(
    folders.map(async ({ name }) =>
      (await readdir(join(here, name), { recursive: true })).map((file) => `${name}/${file}`),
    ),
  )
  const samples = files
    .flat()
    .filter((name) => /\.(?:ts|sh|py)$/.test(name))
    .toSorted()

  it('are all run, but for those that stand in the table with a reason', () => {
    expect(samples).toEqual(
      [...Object.keys(expected), ...Object.keys(notRun), ...called].toSorted(),
    )
  })

  it('are all shown on a page', async () => {
    // those that the site makes may be written anew at this moment
    const names = execFileSync(
      'git',
      ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', '*.mdx'],
      {
        cwd: pages,
        encoding: 'utf8',
      },
    )
    const texts = names
      .trim()
      .split('\n')
      .map((name) => readFile(join(pages, name), 'utf8'))
    const shown = (await Promise.all(texts)).join('\n')
    expect(
      samples.filter((name) => !name.startsWith('api/') && !shown.includes(`file="${name}"`)),
    ).toEqual([])
  })

  it.each(Object.entries(expected))('%s', async (name, output) => {
    const run = { sh: runShell, py: runPython, ts: runModule }[name.slice(-2)] ?? runModule
    expect(await run(name)).toMatch(output)
  })

  it('wallet/browser-evm.ts, with a provider as browsers have it', async () => {
    const { connect } = await import('./wallet/browser-evm.js')
    const account = privateKeyToAccount(generatePrivateKey() as `0x${string}`)
    const ethereum = {
      request: async ({
        method,
        params = [],
      }: {
        readonly method: string
        readonly params?: readonly string[]
      }) => {
        if (method === 'eth_requestAccounts') return [account.address]
        if (method === 'personal_sign')
          return account.signMessage({
            message: { raw: Buffer.from((params[0] ?? '').slice(2), 'hex') },
          })
        throw new Error(`unexpected ${method}`)
      },
    }
    const farebox = await connect(ethereum, readBaseUrl())
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
    expect((await connect(adapter, readBaseUrl()).balance()).balanceUsd).toBe(0)
  })
})

async function runPython(name: string): Promise<string> {
  const environment = chooseEnvironment(name)
  const signIn = await createSignIn(environment)
  return python(await readFile(join(here, name), 'utf8'), service.folder, {
    ...environment,
    SIGN_IN_WITH_X: signIn,
  })
}

/** A header that signs the wallet in once. */
function createSignIn(environment: LocalService['environment']): Promise<string> {
  const signer = privateKeySigner(environment['FAREBOX_PRIVATE_KEY'] ?? '')
  const { origin, host } = new URL(environment['FAREBOX_BASE_URL'] ?? '')
  return createSiwxHeader(signer, {
    domain: host,
    uri: origin,
    statement: 'Sign in to Farebox API',
  })
}

async function runShell(name: string): Promise<string> {
  const environment = chooseEnvironment(name)
  const signIn = await createSignIn(environment)
  const path = [commands, join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  // the command would take the wallet, where a sample is about the API key
  const env = {
    ...process.env,
    ...environment,
    FAREBOX_PRIVATE_KEY: undefined,
    SIGN_IN_WITH_X: signIn,
    PATH: path,
  }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', join(here, name)], {
    cwd: service.folder,
    env,
  })
  return stdout
}

/** Runs in this process: a module that has been imported to its end has done its work. */
async function runModule(name: string): Promise<string> {
  const lines: string[] = []
  const log = vi
    .spyOn(console, 'log')
    .mockImplementation(
      (...values: unknown[]) => void lines.push(values.map(formatValue).join(' ')),
    )
  for (const [key, value] of Object.entries(chooseEnvironment(name))) vi.stubEnv(key, value)
  process.chdir(service.folder)
  try {
    await import(`./${relative(here, join(here, name))}`)
    return lines.join('\n')
  } finally {
    log.mockRestore()
    process.chdir(home)
  }
}

function readBaseUrl(): string {
  return service.environment['FAREBOX_BASE_URL'] ?? ''
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}
