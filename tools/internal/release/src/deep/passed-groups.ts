import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { root } from '../root.js'

type Saved = { readonly tree: string; readonly passed: readonly string[] }

/** The groups that passed on this tree as it is: a whole run goes on where it was interrupted. */
export function readPassed(file: string): readonly string[] {
  try {
    const { tree, passed } = JSON.parse(readFileSync(file, 'utf8')) as Saved
    return tree === treeHash() ? passed : []
  } catch {
    return []
  }
}

export function writePassed(file: string, passed: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ tree: treeHash(), passed } satisfies Saved))
}

/** What is committed and what is not. */
function treeHash(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  return createHash('sha256')
    .update(git('rev-parse', 'HEAD'))
    .update(git('diff', 'HEAD'))
    .digest('hex')
}
