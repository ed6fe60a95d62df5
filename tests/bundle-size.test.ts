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

const one = (operation: string, input: string) => `${send('retry()', 'pace()', "bearer('KEY')")}
  import { ${operation} } from '@farebox/client/operations'
  export const call = () => ${operation}({ baseUrl: '/api/v1', send }, ${input})`

describe('a bundle, minified and compressed, has at most', () => {
  it.each<[string, string, number]>([
    ['bearer and retry', send('retry()', "bearer('KEY')"), 3_350],
    ['bearer, retry and pace', send('retry()', 'pace()', "bearer('KEY')"), 6_400],
    ['bearer, retry, pace and guard', send('retry()', 'pace()', 'guard()', "bearer('KEY')"), 7_700],
    ['one POST of JSON with bearer, retry and pace', one('quoteVideo', "{ model: 'local-test-clip', duration: '5s' }"), 8_000],
    ['one POST of JSON with an answer of bytes, likewise', one('createSpeech', "{ input: 'Hello' }"), 8_300],
    ['one upload, likewise', one('parseText', "{ file: new Blob(['Hello']) }"), 9_800],
  ])('%s', async (_what, source, budget) => {
    const bytes = await bytesOf(source)
    expect(bytes).toBeLessThanOrEqual(budget)
    // a budget that is far from the truth guards nothing
    expect(bytes).toBeGreaterThan(0.9 * budget)
  })
})
