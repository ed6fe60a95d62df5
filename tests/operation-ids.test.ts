import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Node, SyntaxKind, type SourceFile } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { operations } from '@farebox/types/operations'
import { listGitFiles, root, readSource, createSource } from './tree.js'

/** Sources that people write, without tests, samples and what stands for another program. */
const files = listGitFiles('packages', 'tools').filter(
  (file) =>
    /\/src\/.*\.(?:ts|mjs|astro)$/.test(file) && !/\/generated\/|\.test(?:-d)?\.ts$/.test(file),
)

/** A file without one compares no id, and is not parsed. */
const quotedId = new RegExp(`(['"\`])(?:${Object.keys(operations).join('|')})\\1`)

describe('code that depends on an operation', () => {
  it('reads the facts of its record instead of comparing ids', () => {
    expect(files.length).toBeGreaterThan(500)
    const naming = files.filter((file) => quotedId.test(readFileSync(join(root, file), 'utf8')))
    expect(naming.length).toBeGreaterThan(20)
    expect(
      naming.flatMap((file) =>
        findIds(file, file.endsWith('.astro') ? parseAstro(file) : readSource(file)),
      ),
    ).toEqual([])
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
    expect(text).toMatch(quotedId)
    expect(findIds('sample', createSource('sample.ts', text))).toHaveLength(count)
  })
})

/** A page of Astro has its script between fences, and its markup after it. */
function parseAstro(file: string): SourceFile {
  return createSource(
    `${file}.tsx`,
    readFileSync(join(root, file), 'utf8').replaceAll(/^---$/gm, ''),
  )
}

/** The places where an id of the contract is compared, or is in a list of ids. */
function findIds(file: string, source: SourceFile): readonly string[] {
  const lists = source.getDescendantsOfKind(SyntaxKind.ArrayLiteralExpression)
  const deciding: readonly Node[] = [
    ...source
      .getDescendantsOfKind(SyntaxKind.BinaryExpression)
      .filter((one) => isEquality(one.getOperatorToken()) && isAny(one.getLeft(), one.getRight())),
    ...source
      .getDescendantsOfKind(SyntaxKind.CaseClause)
      .filter((one) => isId(one.getExpression())),
    ...lists.filter((one) => one.getElements().length > 0 && one.getElements().every(isId)),
    ...source
      .getDescendantsOfKind(SyntaxKind.CallExpression)
      .filter((one) => isLookup(one.getExpression()) && isAny(...one.getArguments())),
  ]
  return deciding.map((node) => `${file}:${node.getStartLineNumber()} ${node.getText()}`)
}

function isEquality(operator: Node): boolean {
  return /^[!=]==?$/.test(operator.getText())
}

function isLookup(called: Node): boolean {
  return (
    Node.isPropertyAccessExpression(called) && /^(?:includes|has|indexOf)$/.test(called.getName())
  )
}

function isAny(...nodes: readonly Node[]): boolean {
  return nodes.some(isId)
}

function isId(node: Node): boolean {
  return (
    (Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node)) &&
    Object.hasOwn(operations, node.getLiteralText())
  )
}
