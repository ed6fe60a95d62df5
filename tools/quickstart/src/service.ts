import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type LocalService = {
  readonly origin: string
  readonly pid: number
  readonly data: string
  /** Ends the service and removes its data. */
  readonly stop: () => Promise<void>
  /** Lets the service outlive this process. */
  readonly leave: () => void
}

/** Starts the service command on a free loopback port with a temporary data folder. */
export async function startService(adminKey: string): Promise<LocalService> {
  const data = await mkdtemp(join(tmpdir(), 'farebox-quickstart-'))
  const log = join(data, 'service.log')
  const output = openSync(log, 'a')
  const child = spawn(
    process.execPath,
    [findServiceCommand(), '--port', '0', '--data', join(data, 'ledger'), '--allow-nonce-reuse'],
    {
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...process.env, FAREBOX_ADMIN_KEY: adminKey },
    },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  const origin = await waitUntilListening(log, () => child.exitCode !== null)
  return {
    origin,
    pid: child.pid ?? 0,
    data,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      await rm(data, { recursive: true, force: true })
    },
    leave: () => child.unref(),
  }
}

function findServiceCommand(): string {
  const manifest = createRequire(import.meta.url).resolve('@farebox/service/package.json')
  return join(manifest, '..', 'dist', 'bin.js')
}

/** Reads the log until the service says where it listens. */
async function waitUntilListening(log: string, ended: () => boolean): Promise<string> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const text = await readFile(log, 'utf8')
    const [, origin] = /Farebox service listening on (https?:\/\/[^\s/]+)/.exec(text) ?? []
    if (origin !== undefined) return origin
    if (ended()) throw new Error(`The service ended before it was ready. It said:\n${text}`)
    await sleep(50)
  }
  throw new Error(`The service was not ready within 60 s. It said:\n${await readFile(log, 'utf8')}`)
}
