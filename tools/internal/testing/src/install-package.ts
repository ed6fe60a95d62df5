import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './commands.js'

/** Where tools and tests keep packages and files. Safe to delete. */
export const cache = fileURLToPath(
  new URL('../../../../node_modules/.cache/farebox-bench/', import.meta.url),
)

/**
 * Installs a package that is too heavy for the lock file, once, at exactly this version, without
 * its scripts. Returns its folder.
 *
 * @param beside packages to install with it: peers whose newest versions do not work
 * @param overrides versions of indirect dependencies that the registry does not serve as asked for
 */
export function installPackage(
  name: string,
  version: string,
  beside: readonly string[] = [],
  overrides: Readonly<Record<string, string>> = {},
): string {
  const place = join(cache, `${name.replaceAll('/', '+')}@${version}`)
  const folder = join(place, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  // made beside its place: nobody finds half of it, and two processes may install it at a time
  const made = `${place}.${process.pid}`
  mkdirSync(made, { recursive: true })
  writeFileSync(join(made, 'package.json'), `${JSON.stringify({ private: true, overrides })}\n`)
  console.log(`Installing ${name} ${version} into ${place} …`)
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--loglevel=error',
  ]
  const { status } = spawnSync('npm', ['install', ...options, `${name}@${version}`, ...beside], {
    cwd: made,
    stdio: 'inherit',
  })
  if (status !== 0) {
    rmSync(made, { recursive: true, force: true })
    throw new Error(
      `${name} ${version} could not be installed into ${place}. Is the npm registry within reach?`,
    )
  }
  try {
    renameSync(made, place)
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    if (!existsSync(join(folder, 'package.json'))) throw error
  }
  return folder
}

/** Installs Debian packages unless all of these programs are there. Needs root. */
export async function installPackages(
  programs: readonly string[],
  packages: readonly string[],
): Promise<void> {
  const areThere = await run('which', programs).then(
    () => true,
    () => false,
  )
  if (areThere) return
  await run('apt-get', ['update'])
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages])
}
