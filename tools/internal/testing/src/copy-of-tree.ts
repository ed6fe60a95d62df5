import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Makes a repository in a temporary folder, with one commit of the files of `root` as they are now,
 * committed or not. Ignored files are left out, so nothing is installed or built there. What `root`
 * has committed is read from its own store of objects. The caller removes the folder.
 */
export function copyOfTree(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-tree-'))
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      cwd,
      maxBuffer: 2 ** 28,
    }).toString()
  for (const path of git(
    root,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
  ).split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(root, path), join(folder, path))
  }
  git(folder, 'init', '--quiet')
  const objects = git(root, 'rev-parse', '--path-format=absolute', '--git-path', 'objects')
  writeFileSync(join(folder, '.git/objects/info/alternates'), objects)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', 'The tree')
  return folder
}
