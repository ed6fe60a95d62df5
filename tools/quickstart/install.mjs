// Plain JavaScript, because nothing is compiled yet when it is needed.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const modules = new URL('../../node_modules/', import.meta.url)
const installed = fileURLToPath(new URL('.modules.yaml', modules))

/** Whether everything is installed, as for work on the packages: their compiler too. */
export function isWorkshop() {
  return existsSync(installed) && /devDependencies"?: true/.test(readFileSync(installed, 'utf8'))
}

/**
 * Installs what the quickstart and the generator run with, and nothing that only tests and builds
 * need.
 */
export const install = [
  'npx',
  '--yes',
  'pnpm@12.21.0',
  'install',
  '--prod',
  '--frozen-lockfile',
  ...['@farebox/quickstart...', '@farebox/codegen...'].flatMap((name) => ['--filter-prod', name]),
]

/** Lets the next command of pnpm install the rest. With this file, pnpm finds nothing missing. */
export function forgetInstall() {
  rmSync(new URL('.pnpm-workspace-state-v1.json', modules), { force: true })
}
