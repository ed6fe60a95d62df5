import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const tests = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], { cwd: root, encoding: 'utf8' })

/** `it(…)`, `describe.each(…)(…)`, `beforeAll(…)` and the like. */
const timed = /^(?:it|test|describe|beforeAll|beforeEach|afterAll|afterEach)\b/

/**
 * What makes a test fail on a slow machine, by its line: a time of its own, a wait of a second by
 * default, and a clock held against a figure.
 */
function faultsIn(path: string): readonly string[] {
  const source = ts.createSourceFile(path, readFileSync(`${root}/${path}`, 'utf8'), ts.ScriptTarget.Latest, true)
  const faults: string[] = []
  const found = (node: ts.Node, what: string) =>
    void faults.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${what}`)
  const look = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText()
      if (/^vi\.wait(?:For|Until)$/.test(name)) found(node, `${name} gives up after a second; use expect.poll`)
      if (timed.test(name)) for (const argument of node.arguments) if (isTime(argument)) found(argument, 'a test has no time of its own')
      if (/^expect\b.*\.(?:toBeLess|not\.toBeGreater)Than/s.test(name) && /performance\.now|Date\.now|hrtime/.test(name))
        found(node, 'a clock is held against a figure; count what is done')
    }
    ts.forEachChild(node, look)
  }
  look(source)
  return faults
}

/** 0 switches the time off, for what runs all night. */
function isTime(node: ts.Expression): boolean {
  if (ts.isNumericLiteral(node) || (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AsteriskToken)) return true
  return (
    ts.isObjectLiteralExpression(node) &&
    node.properties.some(
      (property) => ts.isPropertyAssignment(property) && property.name.getText() === 'timeout' && property.initializer.getText() !== '0',
    )
  )
}

it('no test depends on how fast the machine is', () => {
  expect(tests.trim().split('\n').flatMap(faultsIn)).toEqual([])
})
