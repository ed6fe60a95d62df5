import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Makes a repository in a temporary folder, with one commit of the files of `root` as they are now,
 * committed or not. Ignored files are left out, so nothing is installed or built there. The caller
 * removes the folder.
 */
export function copyOfTree(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-tree-'))
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd, maxBuffer: 2 ** 28 }).toString()
  for (const path of git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  git(folder, 'init', '--quiet')
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', 'The tree')
  return folder
}
