import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesInGit, root } from './tree.js'

/**
 * Words of `decisions/vocabulary.md` that have no use here beside the one that it replaces. Others,
 * such as "take" and "place", are also plain English.
 */
const replaced =
  /\b(?:cashiers?|purses?|lanes?|fates?|tall(?:y|ies|ied)|courts?|book(?:s|ed)|studios?|peek(?:s|ed)?|judg(?:es?|ed|ing|ement)|operated|watched)\b/i

/** Where a word has another meaning: in Keccak, a lane is one of the 25 parts of the state. */
const others = new Set(['decisions/vocabulary.md', 'packages/auth/src/evm/keccak-256.ts', 'tests/vocabulary.test.ts'])

const files = filesInGit('*.ts', '*.tsx', '*.mjs', '*.astro', '*.md', '*.mdx', '*.yaml').filter(
  (file) => !others.has(file) && !/\/generated\/|\/fixtures\/|CHANGELOG\.md$|^\.changeset\//.test(file),
)

it('no file has a word that the vocabulary replaces', () => {
  expect(files.length).toBeGreaterThan(1_000)
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (isReplaced(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

it.each([
  ['const cashierOf = 1', true],
  ['// Judged by the ledger', true],
  ['type RequestLane = string', true],
  ['a courteous planet', false],
])('%s: %s', (line, isFound) => expect(isReplaced(line)).toBe(isFound))

/** A name in camel case is read as its words. */
function isReplaced(line: string): boolean {
  return replaced.test(line) || replaced.test(line.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' '))
}
