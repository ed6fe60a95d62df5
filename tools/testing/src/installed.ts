import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where benchmarks keep what they fetch and make. Never committed; safe to delete. */
export const cache = fileURLToPath(new URL('../../../node_modules/.cache/farebox-bench/', import.meta.url))

/**
 * The folder of a package that is too heavy for the lock file: installed once, at this very version, without its scripts.
 * @param {string} name
 * @param {string} version
 * @param {readonly string[]} beside peers that the registry's newest versions will not do for
 * @param {Readonly<Record<string, string>>} overrides dependencies of dependencies that the registry lacks as they are asked for
 */
export function installed(name, version, beside = [], overrides = {}) {
  const place = join(cache, `${name.replaceAll('/', '+')}@${version}`)
  const folder = join(place, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), `${JSON.stringify({ private: true, overrides })}\n`)
  console.log(`Installing ${name} ${version} into ${place} …`)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  const { status } = spawnSync('npm', ['install', ...options, `${name}@${version}`, ...beside], { cwd: place, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${name} ${version} could not be installed into ${place}. Is the registry of npm within reach?`)
  return folder
}
