import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundled, one, quote, sends } from '@farebox/release/budgets'
import { installPacked } from '@farebox/release/install-packed'
import { temporaryFolder } from './temporary-folder.js'

/**
 * The packages as they are published: what a user's bundler reads is not what it reads in this
 * tree.
 */
const { folder, remove } = temporaryFolder('bundle-size')
beforeAll(async () => installPacked(folder))
afterAll(remove)

describe('nothing comes along that was not asked for', () => {
  it.each<[string, string, string]>([
    ["a form's code with an operation in JSON", 'form-data; boundary=', one('quoteVideo', quote)],
    ['another operation', '/augment/text-parser', one('quoteVideo', quote)],
    ['the text of an error of rateLimit with retry alone', 'the budget of', sends('retry()')],
    ['the table of models with rateLimit', 'qwen3-4b', one('quoteVideo', quote)],
    ['zod', 'safeParse', one('quoteVideo', quote)],
    ['calls by path', 'PlainRequest', one('quoteVideo', quote)],
  ])('%s', async (_what, word, source) => {
    const text = await bundled(folder, source)
    expect(text).not.toContain(word)
    expect(text).toContain('the wait exceeds')
  })
})
