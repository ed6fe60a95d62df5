import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type BuildOptions, type OutputFile } from 'esbuild'
import { findBudgetFault, type ByteBudget } from '@farebox/testing/byte-budget'
import { installTarballs } from './install-packed.js'
import { isTrue, listReadmeFigures } from './list-published.js'

// `node tools/internal/release/dist/budgets.js` measures what a bundle of the published packages weighs, on
// their tarballs, and compares the figures of the READMEs. Build first. It exits with 1 where a
// budget does not fit or a figure is false. Nothing else measures them.

const send = (
  ...middleware: readonly string[]
): string => `import { compose, fetchSend } from '@farebox/middleware'
import { bearer } from '@farebox/auth'
import { failureBudget, rateLimit, retry } from '@farebox/retry'
const send = compose(fetchSend(fetch), [${middleware.join(', ')}])
`

/** A send by itself. */
export const createSendSource = (...middleware: readonly string[]): string =>
  `${send(...middleware)}export { send }\n`

/** One operation with bearer, retry and rateLimit. */
export function createOperationSource(operation: string, input: string): string {
  return `${send('retry()', 'rateLimit()', "bearer('KEY')")}
import { ${operation} } from '@farebox/client/operations'
export const call = () => ${operation}({ baseUrl: '/api/v1', send }, ${input})
`
}

export const quote = "{ model: 'local-test-clip', duration: '5s' }"

const validators = `import { quoteVideo as validators } from '@farebox/zod/core/operations'
export const body = validators.body['application/json'].safeParse
export const answer = (status) => validators.responses[status]['application/json'].safeParse
`

const sdk = "export { createFarebox } from 'farebox'"

/** With `first`, what a page loads first counts, and not what `import()` loads later. */
type BundleBudget = ByteBudget & { readonly source: string; readonly first?: boolean }

/** Each source, and how many bytes its bundle may have, minified and compressed. */
const budgets: readonly BundleBudget[] = [
  { what: 'bearer and retry', source: createSendSource('retry()', "bearer('KEY')"), most: 4_138 },
  {
    what: 'bearer, retry and rateLimit',
    source: createSendSource('retry()', 'rateLimit()', "bearer('KEY')"),
    most: 6_789,
  },
  {
    what: 'bearer, retry, rateLimit and failureBudget',
    source: createSendSource('retry()', 'rateLimit()', 'failureBudget()', "bearer('KEY')"),
    most: 7_955,
  },
  {
    what: 'one operation alone',
    source: "export { quoteVideo } from '@farebox/client/operations'",
    most: 1_698,
  },
  {
    what: 'one POST of JSON with bearer, retry and rateLimit',
    source: createOperationSource('quoteVideo', quote),
    most: 8_114,
  },
  {
    what: 'one POST of JSON with a header and a response of bytes, likewise',
    source: createOperationSource('createSpeech', "{ input: 'Hello' }"),
    most: 8_783,
  },
  {
    what: 'one GET with a place in its path, likewise',
    source: createOperationSource('getModel', "{ id: 'tts-kokoro' }"),
    most: 8_611,
  },
  {
    what: 'one upload, likewise',
    source: createOperationSource('parseText', "{ file: new Blob(['Hello']) }"),
    most: 10_920,
  },
  {
    what: 'one POST of JSON, likewise, and its validators in the flavour core',
    source: createOperationSource('quoteVideo', quote) + validators,
    most: 14_409,
  },
  {
    what: 'sign-in by an EVM wallet',
    source: "export { evmSigner, signIn } from '@farebox/auth'",
    most: 3_978,
  },
  {
    what: 'sign-in by a Solana wallet',
    source: "export { signIn, solanaSigner } from '@farebox/auth'",
    most: 3_978,
  },
  {
    what: 'bearer, signIn and both signers',
    source: "export { bearer, evmSigner, signIn, solanaSigner } from '@farebox/auth'",
    most: 4_661,
  },
  {
    what: 'the builders of messages',
    source: "export { siweMessage, solanaMessage } from '@farebox/auth'",
    most: 377,
  },
  {
    what: 'the builder of the header',
    source: "export { createSiwxHeader } from '@farebox/auth'",
    most: 1_950,
  },
  {
    what: 'payment on EVM networks',
    source: "export { evmSigner, pay } from '@farebox/auth'",
    most: 10_291,
  },
  {
    what: 'payment on Solana',
    source: "export { solanaPaymentSigner } from '@farebox/auth/solana'",
    most: 21_840,
  },
  // what a page loads first, and not what `import()` loads later
  { what: 'the SDK: what a page loads first', source: sdk, most: 21_840, first: true },
  { what: 'the SDK in one file, with wallet, payments and videos', source: sdk, most: 35_830 },
]

/** Bundles a few lines with the packages installed in a folder into one file for browsers. */
export async function bundleSource(
  folder: string,
  contents: string,
  { minify = false }: { readonly minify?: boolean } = {},
): Promise<string> {
  const { outputFiles } = await build({ ...createBuildOptions(folder, contents), minify })
  return outputFiles[0]?.text ?? ''
}

function createBuildOptions(folder: string, contents: string) {
  return {
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['node:*'],
    logLevel: 'error',
  } as const satisfies BuildOptions
}

/** Bytes of a bundle, minified and compressed as a server would send it. */
async function measureBytes(folder: string, source: string): Promise<number> {
  return gzipSync(await bundleSource(folder, source, { minify: true }), { level: 9 }).length
}

/** The files of a bundle that is split, by their paths, and those that its entry loads at once. */
export async function splitBundle(
  folder: string,
  contents: string,
): Promise<{ files: OutputFile[]; first: OutputFile[] }> {
  const { outputFiles, metafile } = await build({
    ...createBuildOptions(folder, contents),
    minify: true,
    splitting: true,
    metafile: true,
    absWorkingDir: folder,
    outdir: 'out',
  })
  const found = new Set(['out/stdin.js'])
  for (const file of found) {
    for (const { path, kind } of metafile.outputs[file]?.imports ?? [])
      if (kind === 'import-statement') found.add(path)
  }
  return {
    files: outputFiles,
    first: outputFiles.filter(({ path }) => found.has(relative(folder, path))),
  }
}

/** What `splitBundle` loads first, each file compressed by itself. */
async function measureFirstBytes(folder: string, source: string): Promise<number> {
  const { first } = await splitBundle(folder, source)
  return first.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
}

/** The bytes that a budget counts. */
function measureSpent(folder: string, { source, first = false }: BundleBudget): Promise<number> {
  return first ? measureFirstBytes(folder, source) : measureBytes(folder, source)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-budgets-'))
  try {
    await installTarballs(folder)
    const rows = await Promise.all(
      budgets.map(async (budget) => ({ ...budget, bytes: await measureSpent(folder, budget) })),
    )
    console.table(rows.map(({ what, bytes, most }) => ({ what, bytes, most })))
    const figures = await Promise.all(
      listReadmeFigures().map(async (figure) => ({
        ...figure,
        bytes: await measureBytes(folder, `export * from '${figure.name}'`),
      })),
    )
    console.table(figures)
    const faults = [
      ...rows.flatMap((budget) => findBudgetFault(budget, budget.bytes) ?? []),
      ...figures
        .filter((figure) => !isTrue(figure, figure.bytes))
        .map(
          ({ name, kilobytes, bytes }) =>
            `The README of ${name} says ${kilobytes} kB: found ${bytes} bytes. Say ${Math.round(bytes / 1000)} kB.`,
        ),
    ]
    for (const fault of faults) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
