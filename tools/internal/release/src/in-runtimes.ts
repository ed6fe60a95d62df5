import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { installPackage } from '@farebox/testing/install-package'
import { run, serve } from '@farebox/testing/commands'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { createCommandOptions, expectOutput, install, type Outside, sdk } from './outside.js'
import * as sources from './sources.js'
import { commonJsTest } from './sources.js'

export async function proveInBun(outside: Outside): Promise<void> {
  await install(outside, sdk)
  writeFileSync(join(outside.folder, 'main.mjs'), sources.esm)
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch
  const bun = join(
    installPackage('bun', '1.4.4'),
    '..',
    '@oven',
    `bun-${process.platform}-${arch}`,
    'bin',
    'bun',
  )
  expectOutput(await run(bun, ['main.mjs'], createCommandOptions(outside)))
}

export async function proveInDeno(outside: Outside): Promise<void> {
  await install(outside, sdk)
  writeFileSync(join(outside.folder, 'main.mjs'), sources.esm)
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  const deno = join(installPackage('deno', '2.9.6'), '..', '@deno', platform, 'deno')
  const { env, ...place } = createCommandOptions(outside)
  const args = [
    'run',
    '--node-modules-dir=manual',
    '--allow-env',
    '--allow-net=127.0.0.1',
    '--allow-read=.',
    '--allow-write=state',
    '--no-prompt',
    'main.mjs',
  ]
  expectOutput(
    await run(deno, args, {
      ...place,
      env: { ...env, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(outside.folder, '.deno') },
    }),
  )
}

export async function proveEsbuildBundle(outside: Outside): Promise<void> {
  expectOutput(
    await runInChromium(
      await bundle(
        outside,
        sources.createBrowserSource(outside.baseUrl, outside.apiKey),
        'browser',
      ),
      outside.baseUrl,
    ),
  )
}

export async function proveViteBundle(outside: Outside): Promise<void> {
  const { folder } = outside
  await install(outside, [...sdk, 'vite@7.3.8'])
  writeFileSync(
    join(folder, 'main.js'),
    sources.createBrowserSource(outside.baseUrl, outside.apiKey),
  )
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="/main.js"></script>')
  const output = { entryFileNames: 'bundle.js', inlineDynamicImports: true }
  writeFileSync(
    join(folder, 'vite.config.mjs'),
    `export default { logLevel: 'warn', build: { target: 'es2022', rollupOptions: { output: ${JSON.stringify(output)} } } }\n`,
  )
  const printed = await run(join(folder, 'node_modules/.bin/vite'), ['build'], { cwd: folder })
  if (/externalized for browser compatibility|is not exported/.test(printed))
    throw new Error(`vite warned:\n${printed}`)
  expectOutput(await runInChromium(join(folder, 'dist/bundle.js'), outside.baseUrl))
}

export async function proveInWorkerd(outside: Outside): Promise<void> {
  const file = await bundle(
    outside,
    sources.createWorkerSource(outside.baseUrl, outside.apiKey),
    'neutral',
  )
  const config = join(outside.folder, 'config.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "loopback", network = (allow = ["private", "public"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "${basename(file)}")],
  compatibilityDate = "2025-09-01",
  globalOutbound = "loopback"
);
`,
  )
  const arch = process.arch === 'x64' ? '64' : process.arch
  const binary = join(
    installPackage('workerd', '1.20261117.1'),
    '..',
    '@cloudflare',
    `workerd-${process.platform}-${arch}`,
    'bin',
    'workerd',
  )
  const worker = await serve(
    binary,
    ['serve', config, '--control-fd=1'],
    /"socket":"http","port":(\d+)/,
    { cwd: outside.folder },
  )
  try {
    expectOutput(await (await fetch(`http://127.0.0.1:${worker.address}/`)).text())
  } finally {
    await worker.stop()
  }
}

/** Bundles a source into one file with esbuild. It must not import modules of Node. */
async function bundle(
  outside: Outside,
  source: string,
  platform: 'browser' | 'neutral',
): Promise<string> {
  await install(outside, [...sdk, 'esbuild@0.28.2'])
  const file = join(outside.folder, 'bundle.js')
  writeFileSync(join(outside.folder, 'main.js'), source)
  const args = [
    'main.js',
    '--bundle',
    '--format=esm',
    '--target=es2022',
    `--platform=${platform}`,
    '--log-level=warning',
    '--outfile=bundle.js',
  ]
  const conditions =
    platform === 'neutral'
      ? ['--conditions=workerd,worker,browser', '--main-fields=module,main', '--external:node:*']
      : ['--external:node:*']
  const output = await run(
    join(outside.folder, 'node_modules/.bin/esbuild'),
    [...args, ...conditions],
    { cwd: outside.folder },
  )
  if (output.trim() !== '') throw new Error(`esbuild warned:\n${output}`)
  return file
}

/** Jest compiles our ES modules for tests in CommonJS, because the README's line says so. */
export async function proveInJest(outside: Outside): Promise<void> {
  await install(outside, [...sdk, 'jest@30.5.2', '@babel/preset-env@7.28.3'])
  const { folder } = outside
  const readme = readFileSync(join(folder, 'node_modules/farebox/README.md'), 'utf8')
  const pattern = /transformIgnorePatterns: \['(.+?)'\]/.exec(readme)?.[1]
  if (pattern === undefined)
    throw new Error('The README of farebox has no transformIgnorePatterns for Jest.')
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, jest: { transformIgnorePatterns: [pattern] } }),
  )
  // a "babel" in package.json would not apply to node_modules
  const presets = [['@babel/preset-env', { targets: { node: 'current' } }]]
  writeFileSync(join(folder, 'babel.config.json'), JSON.stringify({ presets }))
  writeFileSync(join(folder, 'main.test.js'), commonJsTest)
  await run(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--runInBand'],
    createCommandOptions(outside),
  )
}

/**
 * Runs a bundle in a page of the service's own origin and returns the title that the bundle sets.
 */
async function runInChromium(file: string, baseUrl: string): Promise<string> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    const address = new URL('/outside.html', baseUrl).href
    const html =
      '<!doctype html><title>waiting</title><script type="module" src="/outside.js"></script>'
    await page.route('**/outside.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: html }),
    )
    await page.route('**/outside.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: readFileSync(file, 'utf8') }),
    )
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(address)
    await page
      .waitForFunction(() => document.title !== 'waiting', undefined, { timeout: 300_000 })
      .catch((error: unknown) => {
        throw new Error([String(error), ...faults].join('\n'), { cause: error })
      })
    return await page.title()
  } finally {
    await browser.close()
  }
}
