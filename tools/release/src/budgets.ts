import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { installTarballs } from './install-packed.js'

// `node tools/release/dist/budgets.js` measures what a bundle of the published packages weighs, on
// their tarballs. Build first. It exits with 1 where a budget is exceeded.

const send = (...middleware: readonly string[]): string => `import { compose, fetchSend } from '@farebox/middleware'
import { bearer } from '@farebox/auth'
import { guard, pace, retry } from '@farebox/retry'
const send = compose(fetchSend(fetch), [${middleware.join(', ')}])
`

/** A send by itself. */
export const sends = (...middleware: readonly string[]): string => `${send(...middleware)}export { send }\n`

/** One operation with bearer, retry and pace. */
export function one(operation: string, input: string): string {
  return `${send('retry()', 'pace()', "bearer('KEY')")}
import { ${operation} } from '@farebox/client/operations'
export const call = () => ${operation}({ baseUrl: '/api/v1', send }, ${input})
`
}

export const quote = "{ model: 'local-test-clip', duration: '5s' }"

const validators = `import { quoteVideo as validators } from '@farebox/zod/core/operations'
export const body = validators.body['application/json'].safeParse
export const answer = (status) => validators.responses[status]['application/json'].safeParse
`

type ByteBudget = { readonly what: string; readonly source: string; readonly most: number }

/** Each source, and how many bytes its bundle may have, minified and compressed. */
export const budgets: readonly ByteBudget[] = [
  { what: 'bearer and retry', source: sends('retry()', "bearer('KEY')"), most: 3_620 },
  { what: 'bearer, retry and pace', source: sends('retry()', 'pace()', "bearer('KEY')"), most: 5_830 },
  { what: 'bearer, retry, pace and guard', source: sends('retry()', 'pace()', 'guard()', "bearer('KEY')"), most: 7_090 },
  { what: 'one operation alone', source: "export { quoteVideo } from '@farebox/client/operations'", most: 1_600 },
  { what: 'one POST of JSON with bearer, retry and pace', source: one('quoteVideo', quote), most: 7 * 1024 },
  {
    what: 'one POST of JSON with a header and an answer of bytes, likewise',
    source: one('createSpeech', "{ input: 'Hello' }"),
    most: 7_600,
  },
  { what: 'one GET with a place in its path, likewise', source: one('getModel', "{ id: 'tts-kokoro' }"), most: 7_560 },
  { what: 'one upload, likewise', source: one('parseText', "{ file: new Blob(['Hello']) }"), most: 9_600 },
  {
    what: 'one POST of JSON, likewise, and its validators in the flavour core',
    source: one('quoteVideo', quote) + validators,
    most: 13 * 1024,
  },
]

/** Bundles a few lines with the packages installed in a folder into one file for browsers. */
export async function bundled(folder: string, contents: string, { minify = false }: { readonly minify?: boolean } = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['node:*'],
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

/** Bytes of a bundle, minified and compressed as a server would send it. */
export async function bytesOf(folder: string, source: string): Promise<number> {
  return gzipSync(await bundled(folder, source, { minify: true }), { level: 9 }).length
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-budgets-'))
  try {
    await installTarballs(folder)
    const rows = await Promise.all(budgets.map(async ({ what, source, most }) => ({ what, bytes: await bytesOf(folder, source), most })))
    console.table(rows)
    if (rows.some(({ bytes, most }) => bytes > most)) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
