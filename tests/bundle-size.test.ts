import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Bytes of a bundle, minified and compressed as a server would send it. */
async function bytesOf(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: here, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['@farebox/source'],
    external: ['node:*'],
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

const send = (...middleware: readonly string[]) => `
  import { compose, fetchSend } from '@farebox/middleware'
  import { bearer } from '@farebox/auth'
  import { guard, pace, retry } from '@farebox/retry'
  export const send = compose(fetchSend(fetch), [${middleware.join(', ')}])`

describe('a bundle, minified and compressed, has at most', () => {
  it.each<[string, string, number]>([
    ['bearer and retry', send('retry()', "bearer('KEY')"), 4_200],
    ['bearer, retry and pace', send('retry()', 'pace()', "bearer('KEY')"), 7_600],
    ['bearer, retry, pace and guard', send('retry()', 'pace()', 'guard()', "bearer('KEY')"), 8_850],
    [
      'one POST of the generated client with bearer, retry and pace',
      `${send('retry()', 'pace()', "bearer('KEY')")}
      import { perform } from '../packages/client/src/generated/perform.js'
      import { createSpeech } from '@farebox/types/operations'
      export const speak = () => perform({ baseUrl: '/api/v1', send }, createSpeech, { input: 'Hello' })`,
      // the goal is 7,000: an operation still brings the code for kinds of bodies and parameters that it does not have
      12_700,
    ],
  ])('%s', async (_what, source, budget) => {
    const bytes = await bytesOf(source)
    expect(bytes).toBeLessThanOrEqual(budget)
    // a budget that is far from the truth guards nothing
    expect(bytes).toBeGreaterThan(0.9 * budget)
  })
})
