import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cache } from '@farebox/testing/installed'
import { launchChromium } from '@farebox/testing/launch-chromium'
import {
  askWorker,
  bun,
  deno,
  node,
  runtimeVersions,
  type Command,
} from '@farebox/testing/runtimes'
import { bundled } from './bundled.js'
import { firefoxVersion, inFirefox } from './in-firefox.js'
import type { Outcomes } from './program.js'
import type { MatrixServer } from './server.js'

export type Runtime = {
  readonly name: string
  readonly version?: string
  /** Why it cannot run here. */
  readonly unavailable?: string
  readonly run?: (server: MatrixServer, name: string) => Promise<Outcomes>
}

const folder = join(cache, 'compat')

let written: Promise<string> | undefined

/** The path of the program for runtimes with the modules of Node. It is bundled once. */
function program(): Promise<string> {
  return (written ??= bundled(
    'node',
    'console.log(JSON.stringify(await run(...process.argv.slice(2))))\nprocess.exit(0)',
  ).then((text) => {
    const file = join(folder, 'program.mjs')
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
    return file
  }))
}

/** A runtime that is a command, with the modules of Node. */
function command(make: () => Command): NonNullable<Runtime['run']> {
  return async ({ origin }, name) => {
    const [binary, ...flags] = make()
    const { stdout } = await promisify(execFile)(
      binary,
      [...flags, await program(), origin, name],
      { cwd: folder, env: { HOME: folder } },
    )
    return JSON.parse(stdout) as Outcomes
  }
}

async function inWorkerd({ origin }: MatrixServer, name: string): Promise<Outcomes> {
  mkdirSync(folder, { recursive: true })
  const worker = `export default { fetch: async () => Response.json(await run(...${JSON.stringify([origin, name])})) }`
  return (await askWorker(folder, await bundled('browser', worker))) as Outcomes
}

/** The major version of `@sparticuz/chromium`. */
const chromium = '147'

async function inChromium({ origin }: MatrixServer, name: string): Promise<Outcomes> {
  const browser = await launchChromium()
  try {
    const version = browser.version().split('.')[0]
    if (version !== chromium)
      throw new Error(`The browser is Chromium ${version}, and the matrix names ${chromium}.`)
    const page = await browser.newPage()
    await page.goto(origin)
    await page.addScriptTag({
      type: 'module',
      content: await bundled('browser', 'globalThis.run = run'),
    })
    // a module runs some time after its tag is there
    await page.waitForFunction('globalThis.run')
    return await page.evaluate<Outcomes>(`run(...${JSON.stringify([origin, name])})`)
  } finally {
    await browser.close()
  }
}

function firefox(): Runtime {
  const version = firefoxVersion()
  return version === undefined
    ? {
        name: 'Firefox',
        unavailable: 'No package on npm holds a Firefox, and FIREFOX_BIN names none.',
      }
    : { name: 'Firefox', version, run: (...args) => inFirefox(folder, ...args) }
}

export const runtimes: readonly Runtime[] = [
  ...['20.20.2', '24.9.0'].map((version) => ({
    name: `Node ${version.split('.')[0]}`,
    version,
    run: command(() => node(version)),
  })),
  { name: 'Bun', version: runtimeVersions.bun, run: command(bun) },
  { name: 'Deno', version: runtimeVersions.deno, run: command(() => deno('--allow-sys')) },
  { name: 'Chromium', version: chromium, run: inChromium },
  { name: 'workerd', version: runtimeVersions.workerd, run: inWorkerd },
  firefox(),
]
