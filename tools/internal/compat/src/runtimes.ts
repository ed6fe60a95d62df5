import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync, mkdtempSync, rmSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cache } from '@farebox/testing/install-package'
import { launchChromium } from '@farebox/testing/launch-chromium'
import {
  runWorker,
  createBunCommand,
  createDenoCommand,
  createNodeCommand,
  runtimeVersions,
  type Command,
} from '@farebox/testing/runtimes'
import type { Outcomes } from './program.js'
import type { MatrixServer } from './server.js'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createRequire } from 'node:module'

export type Runtime = {
  readonly name: string
  readonly version?: string
  /** Why it cannot run here. */
  readonly unavailable?: string
  readonly run?: (server: MatrixServer, name: string) => Promise<Outcomes>
}

const folder = join(cache, 'compat')

/** A Firefox of the machine, since no package on npm holds one. */
const binary = process.env['FIREFOX_BIN']

const { resolve } = createRequire(import.meta.url)

/** The client that hey-api copies into generated code. */
const heyApi = join(prepareFolder('@hey-api/openapi-ts'), 'dist/clients/fetch/index.ts')

let written: Promise<string> | undefined

/** The path of the program for runtimes with the modules of Node. It is bundled once. */
function buildProgram(): Promise<string> {
  return (written ??= bundleProgram(
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
function createCommandRun(make: () => Command): NonNullable<Runtime['run']> {
  return async ({ origin }, name) => {
    const [binary, ...flags] = make()
    const { stdout } = await promisify(execFile)(
      binary,
      [...flags, await buildProgram(), origin, name],
      { cwd: folder, env: { HOME: folder } },
    )
    return JSON.parse(stdout) as Outcomes
  }
}

async function runInWorkerd({ origin }: MatrixServer, name: string): Promise<Outcomes> {
  mkdirSync(folder, { recursive: true })
  const worker = `export default { fetch: async () => Response.json(await run(...${JSON.stringify([origin, name])})) }`
  return (await runWorker(folder, await bundleProgram('browser', worker))) as Outcomes
}

/** The major version of `@sparticuz/chromium`. */
const chromium = '147'

async function runInChromium({ origin }: MatrixServer, name: string): Promise<Outcomes> {
  const browser = await launchChromium()
  try {
    const version = browser.version().split('.')[0]
    if (version !== chromium)
      throw new Error(`The browser is Chromium ${version}, and the matrix names ${chromium}.`)
    const page = await browser.newPage()
    await page.goto(origin)
    await page.addScriptTag({
      type: 'module',
      content: await bundleProgram('browser', 'globalThis.run = run'),
    })
    // a module runs some time after its tag is there
    await page.waitForFunction('globalThis.run')
    return await page.evaluate<Outcomes>(`run(...${JSON.stringify([origin, name])})`)
  } finally {
    await browser.close()
  }
}

function findFirefox(): Runtime {
  const version = readFirefoxVersion()
  return version === undefined
    ? {
        name: 'Firefox',
        unavailable: 'No package on npm holds a Firefox, and FIREFOX_BIN names none.',
      }
    : { name: 'Firefox', version, run: (...args) => runInFirefox(folder, ...args) }
}

export const runtimes: readonly Runtime[] = [
  ...['20.20.2', '24.9.0'].map((version) => ({
    name: `Node ${version.split('.')[0]}`,
    version,
    run: createCommandRun(() => createNodeCommand(version)),
  })),
  { name: 'Bun', version: runtimeVersions.bun, run: createCommandRun(createBunCommand) },
  {
    name: 'Deno',
    version: runtimeVersions.deno,
    run: createCommandRun(() => createDenoCommand('--allow-sys')),
  },
  { name: 'Chromium', version: chromium, run: runInChromium },
  { name: 'workerd', version: runtimeVersions.workerd, run: runInWorkerd },
  findFirefox(),
]

/** What keeps a new profile from pages and requests of its own. */
const preferences = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.server': '',
}

/** The major version, if there is one. */
function readFirefoxVersion(): string | undefined {
  if (binary === undefined) return undefined
  return /(\d+)\./.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[1]
}

/**
 * Opens a page in a profile of its own. The page reports by itself, so that no protocol to drive
 * the browser is needed. Rejects if the browser ends before that.
 *
 * @param place where the profile may stand
 */
async function runInFirefox(place: string, server: MatrixServer, name: string): Promise<Outcomes> {
  mkdirSync(place, { recursive: true })
  const profile = mkdtempSync(join(place, 'firefox-'))
  writeFileSync(
    join(profile, 'user.js'),
    Object.entries(preferences).map(formatPreference).join(''),
  )
  const report = "await fetch('/page', { method: 'POST', body: JSON.stringify(outcomes) })"
  const script = await bundleProgram(
    'browser',
    `const outcomes = await run(...${JSON.stringify([server.origin, name])})\n${report}`,
  )
  const { address, reported } = server.serve(script)
  const browser = spawn(
    binary ?? '',
    ['--headless', '--no-remote', '--profile', profile, address],
    {
      stdio: 'ignore',
      env: { ...process.env, HOME: profile },
    },
  )
  const ended = new Promise<never>((_, reject) => {
    browser.once('error', reject)
    browser.once('exit', (code) =>
      reject(new Error(`Firefox ended with ${code} before its page reported.`)),
    )
  })
  try {
    return JSON.parse(await Promise.race([reported, ended])) as Outcomes
  } finally {
    browser.kill('SIGKILL')
    await ended.catch(() => undefined)
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}

function formatPreference([name, value]: readonly [string, unknown]): string {
  return `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)})\n`
}

/**
 * The program as one ES module, from our sources, with the modules that the clients have for Node
 * or for browsers. `then` follows the program and may call `run`.
 */
async function bundleProgram(platform: 'node' | 'browser', then: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { run } from './program.ts'\n${then}\n`,
      resolveDir: fileURLToPath(new URL('../src/', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform,
    conditions: ['@farebox/source'],
    alias: { '@hey-api/client-fetch': heyApi },
    // some clients are CommonJS
    ...(platform === 'node' && {
      banner: {
        js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
      },
    }),
  })
  return outputFiles[0]?.text ?? ''
}

/** The folder of an installed package. Some packages do not export their manifest. */
export function prepareFolder(name: string): string {
  const found = (resolve.paths(name) ?? []).map((path) => join(path, name)).find(existsSync)
  if (found === undefined) throw new Error(`${name} is not installed.`)
  return found
}
