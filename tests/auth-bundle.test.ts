import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))

/**
 * One file for browsers out of a few lines, without a minifier's touch on names that the lines
 * export.
 */
async function bundle(source: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: here, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format,
    target: 'es2022',
    conditions: ['@farebox/source'],
  })
  return outputFiles[0]?.text ?? ''
}

describe('a bundle for browsers has', () => {
  it('no file system code if there is IndexedDB', async () => {
    const code = await bundle("export * from '@farebox/auth'")
    expect(code).toContain('farebox-payments')
    expect(code).not.toMatch(/node:|fs\/promises|\.draft/)
  })

  it('no Solana transaction code if payments are on EVM networks', async () => {
    expect(await bundle("export * from '@farebox/auth'")).not.toMatch(
      /ComputeBudget|lighthouse|5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp.{0,80}EPjFWdd5/s,
    )
  })
})

describe('platform-specific signature code', () => {
  const bundleFor = async (
    platform: 'node' | 'browser' | 'neutral',
    conditions: readonly string[],
  ) => {
    const { outputFiles } = await build({
      stdin: {
        contents: "export * from '@farebox/auth/verify'; export * from '@farebox/auth/keys'",
        resolveDir: here,
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'esm',
      platform,
      conditions: ['@farebox/source', ...conditions],
    })
    return outputFiles[0]?.text ?? ''
  }

  it('is in a bundle for Node', async () => {
    expect(await bundleFor('node', [])).toMatch(/secp256k1\/bindings/)
  })

  it.each([
    ['browsers', 'browser', []],
    ['workers', 'neutral', ['workerd', 'worker', 'browser']],
  ] as const)('is in no bundle for %s', async (_where, platform, conditions) => {
    expect(await bundleFor(platform, conditions)).not.toMatch(
      /secp256k1\/bindings|getBuiltinModule|node:/,
    )
  })

  it('is not in what Jest compiles to CommonJS, which has no import.meta', async () => {
    const code = await bundleFor('node', ['require'])
    expect(code).toContain('nativeCurves')
    expect(code).not.toContain('import.meta')
    expect(await bundleFor('node', [])).toContain('import.meta')
  })
})

/**
 * Takes away, at the global object of a page, what a worker does not allow outside of a request:
 * timers, chance, network and files.
 */
const traps = `
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch', 'WebSocket', 'XMLHttpRequest', 'caches', 'crypto',
    'process', 'require', 'navigator', 'localStorage', 'indexedDB', 'performance']) {
    Object.defineProperty(globalThis, name, { get() { touched.push(name); throw new Error(name + ' was touched') } })
  }
  Math.random = () => { throw new Error('Math.random was touched') }`

/** With wallets that hold their own keys. */
const construction = `
  import { bearer, evmSigner, memoryPaymentStore, pay, signIn, solanaSigner } from '@farebox/auth'
  const origin = 'https://api.example'
  const caps = { origin, maxUsdPerPayment: 5, maxUsdPerDay: 5, store: memoryPaymentStore() }
  const injected = evmSigner({ request: async () => '0x' }, '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A')
  const adapter = solanaSigner({ publicKey: { toBase58: () => 'x' }, signMessage: async (bytes) => bytes })
  const made = [bearer('key', { origin }), signIn(injected, { origin, reuse: true }), signIn(adapter, { origin }), pay(injected, caps)]
  globalThis.made = made.length`

/**
 * With raw keys, whose curves ask for chance to blind what they compute, and do without where there
 * is none.
 */
const keys = `
  import { memoryPaymentStore, pay, signIn } from '@farebox/auth'
  import { privateKeySigner, solanaKeySigner } from '@farebox/auth/keys'
  import { solanaPaymentSigner } from '@farebox/auth/solana'
  const origin = 'https://api.example'
  const caps = { origin, maxUsdPerPayment: 5, maxUsdPerDay: 5, store: memoryPaymentStore() }
  const seed = new Uint8Array(32).fill(7)
  const local = privateKeySigner('0x' + '11'.repeat(32))
  const made = [signIn(local, { origin }), signIn(solanaKeySigner(seed), { origin }), pay(local, caps), pay(solanaPaymentSigner(seed), caps)]
  globalThis.made = made.length`

describe('at module scope, where a worker may not do I/O', () => {
  const platform = { URL, TextEncoder, TextDecoder, atob, btoa }
  const page = (): { made?: number; readonly touched: string[] } & Record<string, unknown> => ({
    ...platform,
    touched: [],
  })

  it('every middleware can be created without side effects', async () => {
    const globals = page()
    createContext(globals)
    runInContext(traps, globals)
    runInContext(await bundle(construction, 'iife'), globals)
    expect([globals.made, globals.touched]).toEqual([4, []])
  })

  it('signers of raw keys can be created', async () => {
    const globals = page()
    createContext(globals)
    runInContext(traps, globals)
    runInContext(await bundle(keys, 'iife'), globals)
    expect([globals.made, new Set(globals.touched)]).toEqual([4, new Set(['crypto'])])
  })

  it('randomness would be detected', async () => {
    const globals = createContext(page())
    runInContext(traps, globals)
    const source = "import { generatePrivateKey } from '@farebox/auth/keys'; generatePrivateKey()"
    await expect(
      bundle(source, 'iife').then((code) => runInContext(code, globals) as unknown),
    ).rejects.toThrow('crypto was touched')
  })
})
