// `pnpm site`, `site:dev`, `site:check`. The packages that build the site are not in the workspace:
// the first run installs them into packages/docs.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { check } from './check.js'
import { docs, root } from './folders.js'
import { prepare } from './prepare.js'

const usage = `Usage: pnpm site           build the site into packages/docs/dist
       pnpm site:dev       preview it while you write
       pnpm site:check     build it, then look at every page in a headless Chromium

  --shots FOLDER      with site:check: keep screenshots of some pages

The site links absolutely; SITE_BASE=/docs/ builds it for a folder of a server, SITE_URL=https://host adds a sitemap.`

const [command = 'build', ...rest] = process.argv.slice(2)

if (command === '--help' || command === '-h') {
  console.log(usage)
} else if (command === 'dev') {
  await ready()
  run('astro', ['dev', ...rest])
} else if (command === 'build') {
  await ready()
  run('astro', ['build', ...rest])
} else if (command === 'check') {
  const { values } = parseArgs({ args: rest, options: { shots: { type: 'string' } } })
  await ready()
  run('astro', ['build'])
  process.exitCode = await check({ base: process.env['SITE_BASE'] ?? '/', ...(values.shots !== undefined && { shots: values.shots }) })
} else {
  console.error(`There is no command ${JSON.stringify(command)}.\n\n${usage}`)
  process.exitCode = 2
}

async function ready(): Promise<void> {
  install()
  await prepare()
}

/** Installs by the lock file if it is newer than the installed packages. */
function install(): void {
  const installed = join(docs, 'node_modules/.modules.yaml')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(docs, 'pnpm-lock.yaml')).mtimeMs) return
  console.log('Installing the tools of the site (about 290 MB on disk, once) ...')
  run('npx', ['--yes', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--config.engine-strict=false'])
}

/** Runs a command in the folder of the site and ends with its exit code if that is not 0. */
function run(name: string, args: readonly string[]): void {
  const path = [join(docs, 'node_modules/.bin'), join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path, ASTRO_TELEMETRY_DISABLED: '1' }
  const { status, error } = spawnSync(name, args, { cwd: docs, env, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    console.error(`site: ${name} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`)
    process.exit(status ?? 1)
  }
}
