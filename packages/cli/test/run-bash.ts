import { spawnSync } from 'node:child_process'

/** Runs bash. In a locale that is not installed, it would print a warning on stderr. */
export function runBash(args: readonly string[], cwd?: string) {
  return spawnSync('bash', args, { encoding: 'utf8', cwd, env: { ...process.env, LC_ALL: 'C' } })
}
