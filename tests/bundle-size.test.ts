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
  const send = compose(fetchSend(fetch), [${middleware.join(', ')}])`

const sends = (...middleware: readonly string[]) => `${send(...middleware)}\nexport { send }`

const one = (operation: string, input: string) => `${send('retry()', 'pace()', "bearer('KEY')")}
  import { ${operation} } from '@farebox/client/operations'
  export const call = () => ${operation}({ baseUrl: '/api/v1', send }, ${input})`

const quote = "{ model: 'local-test-clip', duration: '5s' }"

describe('a bundle, minified and compressed, has at most', () => {
  it.each<[string, string, number]>([
    ['bearer and retry', sends('retry()', "bearer('KEY')"), 3_620],
    ['bearer, retry and pace', sends('retry()', 'pace()', "bearer('KEY')"), 5_820],
    ['bearer, retry, pace and guard', sends('retry()', 'pace()', 'guard()', "bearer('KEY')"), 7_070],
    ['one POST of JSON with bearer, retry and pace', one('quoteVideo', quote), 7 * 1024],
    ['one POST of JSON with a header and an answer of bytes, likewise', one('createSpeech', "{ input: 'Hello' }"), 7_590],
    ['one GET with a place in its path, likewise', one('getModel', "{ id: 'tts-kokoro' }"), 7_560],
    ['one upload, likewise', one('parseText', "{ file: new Blob(['Hello']) }"), 9_560],
  ])('%s', async (_what, source, budget) => {
    const bytes = await bytesOf(source)
    expect(bytes).toBeLessThanOrEqual(budget)
    // a budget that is far from the truth guards nothing
    expect(bytes).toBeGreaterThan(0.9 * budget)
  })

  it('one POST of JSON, likewise, and the validators of its input and its answers in the flavour core', async () => {
    const validators = `import { quoteVideo as validators } from '@farebox/zod/core/operations'
      export const body = validators.body['application/json'].safeParse
      export const answer = (status) => validators.responses[status]['application/json'].safeParse`
    const bytes = await bytesOf(`${one('quoteVideo', quote)}\n${validators}`)
    expect(bytes).toBeLessThanOrEqual(13 * 1024)
    expect(bytes).toBeGreaterThan(0.9 * 13 * 1024)
  })
})

describe('nothing comes along that was not asked for', () => {
  it.each<[string, string]>([
    ["a form's code with an operation in JSON", 'form-data; boundary='],
    ['the text of an error of pace with retry alone', 'the budget of'],
    ['the table of models with pace', 'qwen3-4b'],
    ['zod', 'safeParse'],
    ['calls by path', 'PlainRequest'],
  ])('%s', async (_what, word) => {
    const { outputFiles } = await build({
      stdin: { contents: word === 'the budget of' ? sends('retry()') : one('quoteVideo', quote), resolveDir: here, loader: 'ts' },
      bundle: true,
      write: false,
      format: 'esm',
      conditions: ['@farebox/source'],
      external: ['node:*'],
    })
    expect(outputFiles[0]?.text).not.toContain(word)
    expect(outputFiles[0]?.text).toContain('the wait exceeds')
  })
})
