import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../root.js'

export type BuiltCommit = { readonly folder: string; readonly remove: () => void }

/** Checks a commit out into a temporary folder, installs what it needs, and builds its service. */
export function builtCommit(commit: string): BuiltCommit {
  const folder = join(mkdtempSync(join(tmpdir(), 'farebox-commit-')), 'checkout')
  const run = (cwd: string, file: string, ...args: readonly string[]) =>
    void execFileSync(file, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const remove = () => {
    run(root, 'git', 'worktree', 'remove', '--force', folder)
    rmSync(join(folder, '..'), { recursive: true, force: true })
  }
  run(root, 'git', 'worktree', 'add', '--quiet', '--detach', folder, commit)
  try {
    const { packageManager } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly packageManager: string
    }
    const [name = ''] = packageManager.split('+')
    run(
      folder,
      'npx',
      '--yes',
      name,
      'install',
      '--frozen-lockfile',
      '--prefer-offline',
      '--silent',
    )
    run(folder, 'npx', 'tsc', '-b', 'packages/service')
  } catch (error) {
    remove()
    throw error
  }
  return { folder, remove }
}
