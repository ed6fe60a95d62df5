import { ts } from 'ts-morph'
import { expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesInGit, root } from './tree.js'

/** A function that needs more lines does several things. */
const longest = 130

const files = filesInGit('*.ts', '*.tsx', '*.mjs').filter(
  (file) => !/\.(?:test|test-d|d)\.tsx?$|\/generated\/|\/fixtures\/|^tests\//.test(file),
)

it(`no function has more than ${longest} lines`, () => {
  expect(files.length).toBeGreaterThan(900)
  expect(files.flatMap((file) => longIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
})

it('finds a long function, and not one that is as long as it may be', () => {
  const functionOf = (lines: number) => `export const one = () => {\n${'call()\n'.repeat(lines - 2)}}`
  expect(longIn('a.ts', functionOf(longest))).toEqual([])
  expect(longIn('a.ts', functionOf(longest + 1))).toEqual([`a.ts:1 has a function of ${longest + 1} lines`])
})

function longIn(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const first = lineOf(node.getStart(source))
      const lines = lineOf(node.end) - first + 1
      if (lines > longest) found.push(`${file}:${first + 1} has a function of ${lines} lines`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
