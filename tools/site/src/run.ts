// `pnpm site [build|dev|check]`: the site. Its tools are no part of the workspace; they are installed here when they are first wanted.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('..', import.meta.url))
const root = join(here, '../..')
const usage = `Usage: pnpm site           build the site into packages/docs/dist
       pnpm site:dev       preview it while you write
       pnpm site:check     build it, then look at every page in a headless Chromium

The site links absolutely; SITE_BASE=/docs/ builds it for a folder of a server, SITE_URL=https://host adds a sitemap.`

const [command = 'build', ...rest] = process.argv.slice(2)
if (!['build', 'dev', 'check'].includes(command)) {
  console.error(command === '--help' ? usage : `There is no command ${JSON.stringify(command)}.\n\n${usage}`)
  process.exit(command === '--help' ? 0 : 2)
}

install()
run('tsc', ['-b'], root)
run('node', ['scripts/prepare.mjs'])
if (command === 'dev') run('astro', ['dev', ...rest])
else run('astro', ['build'])
if (command === 'check') run('node', ['scripts/check.mjs', ...rest])

/** Installs by the lock file, when it is newer than what is installed. */
function install() {
  const installed = join(here, 'node_modules/.modules.yaml')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(here, 'pnpm-lock.yaml')).mtimeMs) return
  console.log('Installing the tools of the site (about 290 MB on disk, once) ...')
  run('npx', ['--yes', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--config.engine-strict=false'])
}

/** @param {string} name @param {readonly string[]} args */
function run(name, args, cwd = here) {
  const path = [join(here, 'node_modules/.bin'), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH: path, ASTRO_TELEMETRY_DISABLED: '1' }
  const { status, error } = spawnSync(name, args, { cwd, env, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    console.error(`site: ${name} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`)
    process.exit(status ?? 1)
  }
}
