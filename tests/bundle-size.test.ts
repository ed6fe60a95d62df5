import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { budgets, bundled, bytesOf, one, quote, sends } from '@farebox/release/budgets'
import { installPacked } from '@farebox/release/install-packed'
import { published } from '@farebox/release/published'
import { temporaryFolder } from './temporary-folder.js'

/**
 * The packages as they are published: what a user's bundler reads is not what it reads in this
 * tree.
 */
const { folder, remove } = temporaryFolder('bundle-size')
beforeAll(async () => installPacked(folder))
afterAll(remove)

describe('a bundle of the published packages, minified and compressed, has at most', () => {
  it.each(budgets)('$most bytes with $what', async ({ source, most }) => {
    const bytes = await bytesOf(folder, source)
    expect(bytes).toBeLessThanOrEqual(most)
    // a budget that is far from the truth guards nothing
    expect(bytes).toBeGreaterThan(0.9 * most)
  })
})

describe('nothing comes along that was not asked for', () => {
  it.each<[string, string, string]>([
    ["a form's code with an operation in JSON", 'form-data; boundary=', one('quoteVideo', quote)],
    ['another operation', '/augment/text-parser', one('quoteVideo', quote)],
    ['the text of an error of pace with retry alone', 'the budget of', sends('retry()')],
    ['the table of models with pace', 'qwen3-4b', one('quoteVideo', quote)],
    ['zod', 'safeParse', one('quoteVideo', quote)],
    ['calls by path', 'PlainRequest', one('quoteVideo', quote)],
  ])('%s', async (_what, word, source) => {
    const text = await bundled(folder, source)
    expect(text).not.toContain(word)
    expect(text).toContain('the wait exceeds')
  })
})

describe('what a README says of the size', () => {
  const said = published(join(import.meta.dirname, '..')).flatMap(({ name, folder: from }) => {
    const [, figure] =
      /^Everything of it in a bundle, minified and compressed: ([\d.]+) kB/m.exec(readFileSync(join(from, 'README.md'), 'utf8')) ?? []
    return figure === undefined ? [] : [{ name, figure }]
  })

  it.each(said)('$name has $figure kB', async ({ name, figure }) => {
    const kilobytes = (await bytesOf(folder, `export * from '${name}'`)) / 1000
    expect(kilobytes).toBeGreaterThan(0.95 * Number(figure) - 0.05)
    expect(kilobytes).toBeLessThan(1.05 * Number(figure) + 0.05)
  })

  it('is said of the packages for the browser', () => {
    expect(said.length).toBeGreaterThan(4)
  })
})
