import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { measureInstantiations } from '@farebox/bench/instantiations'
import { installPacked } from '@farebox/release/install-packed'
import { createTemporaryFolder } from './temporary-folder.js'

const home = new URL('../', import.meta.url)

/** The packages as they are published. */
const { folder, remove } = createTemporaryFolder('client-budgets')
beforeAll(async () => installPacked(folder))
afterAll(remove)
afterEach(() => vi.unstubAllGlobals())

it('five operations cost the compiler at most 2,000 instantiations, however they are called, except by path', () => {
  const { methods, functions, 'the SDK': sdk } = measureInstantiations()
  expect(methods).toBeLessThanOrEqual(60)
  expect(functions).toBeLessThanOrEqual(60)
  expect(sdk).toBeLessThanOrEqual(2_000)
})

it('@farebox/client/operations exports exactly one function per operation', async () => {
  const [functions, { operations }] = await Promise.all([
    import('@farebox/client/operations'),
    import('@farebox/types/operations'),
  ])
  expect(Object.keys(functions).toSorted()).toEqual(Object.keys(operations).toSorted())
})

it('importing and creating the SDK uses neither Request nor fetch', async () => {
  const touched: string[] = []
  for (const name of ['fetch', 'Request', 'Response'] as const) {
    const own = globalThis[name]
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => (touched.push(name), own),
    })
    try {
      vi.resetModules()
      const { createFarebox } = await import('farebox')
      createFarebox({ baseUrl: 'http://127.0.0.1:4020/api/v1', apiKey: 'KEY' })
    } finally {
      Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: own })
    }
  }
  expect(touched).toEqual([])
})

it.each(['farebox', '@farebox/client', '@farebox/client/operations'])(
  'importing %s loads neither zod nor openapi-fetch',
  async (name) => {
    const { metafile } = await build({
      stdin: { contents: `export * from '${name}'`, resolveDir: folder, loader: 'ts' },
      bundle: true,
      splitting: true,
      write: false,
      metafile: true,
      format: 'esm',
      outdir: 'out',
      external: ['node:*'],
    })
    const loaded = new Set(['out/stdin.js'])
    for (const file of loaded) {
      for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
        if (kind === 'import-statement') loaded.add(path)
    }
    const inputs = [...loaded].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}))
    expect(inputs.length).toBeGreaterThan(1)
    expect(inputs.filter((input) => /node_modules\/(zod|openapi-fetch)\//.test(input))).toEqual([])
  },
)

deepTest('the declarations compile without the DOM library, with the types of Node', () => {
  const file = join(folder, 'without-dom.ts')
  const names = [
    'farebox',
    '@farebox/client',
    '@farebox/client/operations',
    '@farebox/middleware',
    '@farebox/retry',
    '@farebox/auth',
  ]
  writeFileSync(file, names.map((name) => `export * from '${name}'\n`).join(''))
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('packages/farebox/node_modules/@types', home))],
  })
  const complaints = ts
    .getPreEmitDiagnostics(program)
    .filter((found) => /node_modules\/(@farebox|farebox)\//.test(found.file?.fileName ?? ''))
  expect(
    complaints.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')),
  ).toEqual([])
})

it('no code path clones a request or a response, or tees a stream', () => {
  const sources = ['client', 'retry', 'middleware', 'farebox', 'auth'].flatMap((name) => {
    const source = new URL(`packages/${name}/src/`, home)
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => [`${name}/${file}`, readFileSync(new URL(file, source), 'utf8')] as const)
  })
  expect(sources.length).toBeGreaterThan(60)
  expect(
    sources
      .filter(([, text]) => /\.clone\(|\.tee\(|new Request\(/.test(text))
      .map(([file]) => file),
  ).toEqual([])
})
