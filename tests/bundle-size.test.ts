import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bundleSource,
  createOperationSource,
  quote,
  createSendSource,
} from '@farebox/release/budgets'
import { installPacked } from '@farebox/release/install-packed'
import { createTemporaryFolder } from './temporary-folder.js'

/**
 * The packages as they are published: what a user's bundler reads is not what it reads in this
 * tree.
 */
const { folder, remove } = createTemporaryFolder('bundle-size')
beforeAll(async () => installPacked(folder))
afterAll(remove)

describe('a bundle contains only what was imported', () => {
  it.each<[string, string, string]>([
    [
      "a form's code with an operation in JSON",
      'form-data; boundary=',
      createOperationSource('quoteVideo', quote),
    ],
    ['another operation', '/augment/text-parser', createOperationSource('quoteVideo', quote)],
    [
      'the text of an error of rateLimit with retry alone',
      'the budget of',
      createSendSource('retry()'),
    ],
    ['the table of models with rateLimit', 'qwen3-4b', createOperationSource('quoteVideo', quote)],
    ['zod', 'safeParse', createOperationSource('quoteVideo', quote)],
    ['calls by path', 'PlainRequest', createOperationSource('quoteVideo', quote)],
  ])('%s', async (_what, word, source) => {
    const text = await bundleSource(folder, source)
    expect(text).not.toContain(word)
    expect(text).toContain('the wait exceeds')
  })
})
