import { execFile, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPacked } from '@farebox/release/install-packed'
import type { FaultServer } from '@farebox/testing/fault-server'
import { cache, installed } from '@farebox/testing/installed'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { startService } from './service.js'

const folder = join(cache, 'runtimes')
const program = fileURLToPath(new URL('program.mjs', import.meta.url))

/** What every runtime makes of the same program. */
const expected = {
  quote: { quote: 0.25 },
  told: 'send response retry send response',
  parsed: 'Hello',
  streamed: 'Hello',
  onDisk: 'Hello',
  respent: { name: 'FareboxError', code: 'invalid_input', attempts: 1, mayHaveArrived: false },
  sound: 1000,
  refused: { name: 'FareboxError', code: 'http_402', status: 402, attempts: 1, mayHaveArrived: false },
  invalid: { name: 'FareboxError', code: 'invalid_input', attempts: 0, mayHaveArrived: false },
  lost: { name: 'FareboxError', code: 'lost_answer', attempts: 1, mayHaveArrived: true },
  page: { name: 'FareboxError', code: 'unexpected_response', status: 200, attempts: 1, mayHaveArrived: true },
  cut: { name: 'FareboxError', code: 'unexpected_response', status: 200, attempts: 1, mayHaveArrived: true },
  aborted: { name: 'FareboxError', code: 'aborted', attempts: 1, mayHaveArrived: true },
  late: { name: 'FareboxError', code: 'timeout', attempts: 1, mayHaveArrived: true },
}

/** Where there is no file system. */
const noFile = { name: 'FareboxError', code: 'invalid_input', attempts: 0, mayHaveArrived: false }

let service: FaultServer

beforeAll(async () => {
  await installPacked(folder)
  copyFileSync(program, join(folder, 'program.mjs'))
  writeFileSync(
    join(folder, 'main.mjs'),
    "import { run } from './program.mjs'\nconst { process } = globalThis\nconsole.log(JSON.stringify(await run(process.argv[2])))\nprocess.exit(0)\n",
  )
  writeFileSync(join(folder, 'on-disk.txt'), 'Hello')
  service = await startService('<!doctype html><title>Farebox</title>')
})

afterAll(async () => service.close())

/** The program as one file, for what does not read node_modules. */
async function bundled(contents: string, format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    format,
    target: 'es2022',
    platform: 'browser',
  })
  return outputFiles[0]?.text ?? ''
}

async function printed(command: string, args: readonly string[]): Promise<unknown> {
  chmodSync(command, 0o755)
  const { stdout } = await promisify(execFile)(command, [...args, service.origin], { cwd: folder, env: { HOME: folder } })
  return JSON.parse(stdout)
}

const { platform, arch } = process

describe('the SDK as it is published does the same', () => {
  it.each([
    ['20', '20.20.2'],
    ['22', '22.23.3'],
    ['24', '24.9.0'],
  ])('in Node %s', async (_line, version) => {
    const node = installed(`node-${platform}-${arch}`, version)
    expect(await printed(join(node, 'bin/node'), ['main.mjs'])).toEqual(expected)
  })

  it('in Bun', async () => {
    const bun = installed(`@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`, '1.4.4')
    expect(await printed(join(bun, 'bin/bun'), ['main.mjs'])).toEqual(expected)
  })

  it('in Deno', async () => {
    const deno = installed(`@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`, '2.9.6')
    const flags = ['run', '--allow-net', '--allow-env', '--allow-read=.', '--node-modules-dir=manual', 'main.mjs']
    expect(await printed(join(deno, 'deno'), flags)).toEqual(expected)
  })

  it('in a worker (workerd)', async () => {
    const workerd = installed(`@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}`, '1.20261117.1')
    const worker = `import { run } from './program.mjs'\nexport default { fetch: async () => Response.json(await run(${JSON.stringify(service.origin)})) }`
    writeFileSync(join(folder, 'worker.mjs'), await bundled(worker, 'esm'))
    writeFileSync(join(folder, 'worker.capnp'), config)
    expect(await answered(join(workerd, 'bin/workerd'))).toEqual({ ...expected, onDisk: noFile })
  })

  it('in a browser (Chromium)', async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(service.origin)
      await page.addScriptTag({ content: await bundled("import { run } from './program.mjs'\nglobalThis.run = run", 'iife') })
      // Chromium sends streams over HTTP/2 alone
      expect(await page.evaluate(`run(${JSON.stringify(service.origin)})`)).toEqual({
        ...expected,
        onDisk: noFile,
        streamed: { name: 'FareboxError', code: 'lost_answer', attempts: 1, mayHaveArrived: true },
      })
    } finally {
      await browser.close()
    }
  })
})

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "main", esModule = embed "worker.mjs")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["local", "private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

/** Starts a worker on a free port, asks it once, and stops it. */
async function answered(workerd: string): Promise<unknown> {
  chmodSync(workerd, 0o755)
  const process = spawn(workerd, ['serve', 'worker.capnp', '--control-fd=3'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let complaints = ''
  process.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  try {
    const port = await new Promise<number>((resolve, reject) => {
      process.stdio[3]?.on('data', (chunk: Buffer) =>
        resolve((JSON.parse(chunk.toString().split('\n', 1)[0] ?? '') as { port: number }).port),
      )
      process.on('exit', () => reject(new Error(`workerd ended: ${complaints}`)))
    })
    const response = await fetch(`http://127.0.0.1:${port}/`)
    if (!response.ok) throw new Error(`the worker answered ${response.status}: ${complaints}`)
    return await response.json()
  } finally {
    process.kill()
  }
}
