import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { operations } from '@farebox/types/operations'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Sources that people write, without tests, samples and what stands for another program. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages', 'tools'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\/src\/.*\.(?:ts|mjs|astro)$/.test(file) && !/\/generated\/|\.test(?:-d)?\.ts$/.test(file))

describe('code that decides by an operation', () => {
  it('reads the facts of its record, and compares no id', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(files.flatMap((file) => idsIn(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
  })

  it.each([
    ["if (operation.id === 'topUp') pay()", 1],
    ["if ('topUp' !== id) pay()", 1],
    ["switch (id) { case 'topUp': pay() }", 1],
    ["const paid = ['createSpeech', 'queueVideo']", 1],
    ["const paid = new Set(['createSpeech'])", 1],
    ["if (name.includes('topUp')) pay()", 1],
    ["const callers = callersOf('topUp')", 0],
    ["const call = { operation: 'topUp' }", 0],
    ["type Id = 'createSpeech' | 'queueVideo'", 0],
    ["const names = ['topUp', 'amount']", 0],
  ])('%s: %i', (text, count) => {
    expect(idsIn('sample.ts', text)).toHaveLength(count)
  })
})

/**
 * The places where an id of the contract is compared, or is in a list of ids. A page of Astro has
 * its script between fences, and its markup after it.
 */
function idsIn(file: string, text: string): readonly string[] {
  const isPage = file.endsWith('.astro')
  const script = isPage ? text.replaceAll(/^---$/gm, '') : text
  const source = ts.createSourceFile(file, script, ts.ScriptTarget.ES2022, true, isPage ? ts.ScriptKind.TSX : ts.ScriptKind.TS)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (decidesById(node)) found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const equalities: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
])

function decidesById(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return equalities.has(node.operatorToken.kind) && (isId(node.left) || isId(node.right))
  if (ts.isCaseClause(node)) return isId(node.expression)
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 && node.elements.every(isId)
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  return /^(?:includes|has|indexOf)$/.test(node.expression.name.text) && node.arguments.some(isId)
}

function isId(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) && Object.hasOwn(operations, node.text)
}
