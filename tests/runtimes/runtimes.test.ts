import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPacked } from '@farebox/release/install-packed'
import type { FaultServer } from '@farebox/testing/fault-server'
import { cache } from '@farebox/testing/install-package'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { countRounds } from '@farebox/testing/rounds'
import {
  runWorker,
  createBunCommand,
  createDenoCommand,
  createNodeCommand,
  nodeVersions,
  type Command,
} from '@farebox/testing/runtimes'
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
  pictured: { model: 'local-test-clip', queue_id: 'data:image/png;base64,SGVsbG8=' },
  respent: { name: 'FareboxError', code: 'invalid_input', attempts: 1, mayHaveArrived: false },
  sound: 1000,
  rejected: {
    name: 'FareboxError',
    code: 'http_402',
    status: 402,
    attempts: 1,
    mayHaveArrived: false,
  },
  invalid: { name: 'FareboxError', code: 'invalid_input', attempts: 0, mayHaveArrived: false },
  lost: { name: 'FareboxError', code: 'lost_response', attempts: 1, mayHaveArrived: true },
  page: {
    name: 'FareboxError',
    code: 'unexpected_response',
    status: 200,
    attempts: 1,
    mayHaveArrived: true,
  },
  cut: {
    name: 'FareboxError',
    code: 'unexpected_response',
    status: 200,
    attempts: 1,
    mayHaveArrived: true,
  },
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
async function bundleProgram(contents: string, format: 'esm' | 'iife'): Promise<string> {
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

async function runCommand([binary, ...args]: Command): Promise<unknown> {
  const { stdout } = await promisify(execFile)(binary, [...args, 'main.mjs', service.origin], {
    cwd: folder,
    env: { HOME: folder },
  })
  return JSON.parse(stdout)
}

async function runInWorker(): Promise<unknown> {
  const worker = `import { run } from './program.mjs'\nexport default { fetch: async () => Response.json(await run(${JSON.stringify(service.origin)})) }`
  return runWorker(folder, await bundleProgram(worker, 'esm'))
}

async function runInChromium(): Promise<unknown> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(service.origin)
    await page.addScriptTag({
      content: await bundleProgram(
        "import { run } from './program.mjs'\nglobalThis.run = run",
        'iife',
      ),
    })
    return await page.evaluate(`run(${JSON.stringify(service.origin)})`)
  } finally {
    await browser.close()
  }
}

const onlyBytes = { ...expected, onDisk: noFile, pictured: noFile }
// Chromium sends streams only over HTTP/2
const unstreamed = {
  name: 'FareboxError',
  code: 'lost_response',
  attempts: 1,
  mayHaveArrived: true,
}
const [oldest, ...newer] = nodeVersions

/** A commit runs the first two: one reads packages and files, the other neither. */
const runtimes: readonly (readonly [string, () => Promise<unknown>, object])[] = [
  [`Node ${oldest}`, async () => runCommand(createNodeCommand(oldest)), expected],
  ['a worker (workerd)', runInWorker, onlyBytes],
  ...newer.map(
    (version) =>
      [`Node ${version}`, async () => runCommand(createNodeCommand(version)), expected] as const,
  ),
  ['Bun', async () => runCommand(createBunCommand()), expected],
  ['Deno', async () => runCommand(createDenoCommand()), expected],
  ['a browser (Chromium)', runInChromium, { ...onlyBytes, streamed: unstreamed }],
]

it.each(runtimes.slice(0, countRounds(runtimes.length)))(
  'the published SDK behaves the same in %s',
  async (_name, run, outcome) => {
    expect(await run()).toEqual(outcome)
  },
)
