import { Node, SyntaxKind } from 'ts-morph'
import { expect, it } from 'vitest'
import { listGitFiles, readSource } from './tree.js'

/** `it(…)`, `describe.each(…)(…)`, `beforeAll(…)` and the like. */
const timed = /^(?:it|test|describe|beforeAll|beforeEach|afterAll|afterEach)\b/

/**
 * What makes a test fail on a slow machine, by its line: a time of its own, a wait of a second by
 * default, and a clock held against a figure.
 */
function findFaults(path: string): readonly string[] {
  return readSource(path)
    .getDescendantsOfKind(SyntaxKind.CallExpression)
    .flatMap((call) => {
      const name = call.getExpression().getText()
      const faults: string[] = []
      if (/^vi\.wait(?:For|Until)$/.test(name))
        faults.push(`${name} gives up after a second; use expect.poll`)
      if (timed.test(name) && call.getArguments().some(isTime))
        faults.push('a test has no time of its own')
      if (
        /^expect\b.*\.(?:toBeLess|not\.toBeGreater)Than/s.test(name) &&
        /performance\.now|Date\.now|hrtime/.test(name)
      )
        faults.push('a clock is held against a figure; count what is done')
      return faults.map((fault) => `${path}:${call.getStartLineNumber()} ${fault}`)
    })
}

/** 0 switches the time off, for what runs all night. */
function isTime(node: Node): boolean {
  if (Node.isNumericLiteral(node)) return true
  if (Node.isBinaryExpression(node))
    return node.getOperatorToken().getKind() === SyntaxKind.AsteriskToken
  const timeout = Node.isObjectLiteralExpression(node) ? node.getProperty('timeout') : undefined
  return Node.isPropertyAssignment(timeout) && timeout.getInitializerOrThrow().getText() !== '0'
}

it('no test depends on how fast the machine is', () => {
  expect(listGitFiles('*.test.ts').flatMap(findFaults)).toEqual([])
})
