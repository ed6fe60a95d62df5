import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { installed } from '@farebox/testing/installed'
import { run, serve } from '@farebox/testing/commands'
import { inChromium } from './in-chromium.js'
import { calling, expectAnswer, install, sdk, type Outside } from './outside.js'
import * as sources from './sources.js'

export async function inBun(outside: Outside): Promise<void> {
  await install(outside, sdk)
  writeFileSync(join(outside.folder, 'main.mjs'), sources.esm)
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch
  const bun = join(
    installed('bun', '1.4.4'),
    '..',
    '@oven',
    `bun-${process.platform}-${arch}`,
    'bin',
    'bun',
  )
  expectAnswer(await run(bun, ['main.mjs'], calling(outside)))
}

export async function inDeno(outside: Outside): Promise<void> {
  await install(outside, sdk)
  writeFileSync(join(outside.folder, 'main.mjs'), sources.esm)
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  const deno = join(installed('deno', '2.9.6'), '..', '@deno', platform, 'deno')
  const { env, ...place } = calling(outside)
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
  expectAnswer(
    await run(deno, args, {
      ...place,
      env: { ...env, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(outside.folder, '.deno') },
    }),
  )
}

export async function bundledByEsbuild(outside: Outside): Promise<void> {
  expectAnswer(
    await inChromium(
      await bundle(outside, sources.browser(outside.baseUrl, outside.apiKey), 'browser'),
      outside.baseUrl,
    ),
  )
}

export async function bundledByVite(outside: Outside): Promise<void> {
  const { folder } = outside
  await install(outside, [...sdk, 'vite@7.3.8'])
  writeFileSync(join(folder, 'main.js'), sources.browser(outside.baseUrl, outside.apiKey))
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="/main.js"></script>')
  const output = { entryFileNames: 'bundle.js', inlineDynamicImports: true }
  writeFileSync(
    join(folder, 'vite.config.mjs'),
    `export default { logLevel: 'warn', build: { target: 'es2022', rollupOptions: { output: ${JSON.stringify(output)} } } }\n`,
  )
  const printed = await run(join(folder, 'node_modules/.bin/vite'), ['build'], { cwd: folder })
  if (/externalized for browser compatibility|is not exported/.test(printed))
    throw new Error(`vite warned:\n${printed}`)
  expectAnswer(await inChromium(join(folder, 'dist/bundle.js'), outside.baseUrl))
}

export async function inWorkerd(outside: Outside): Promise<void> {
  const file = await bundle(outside, sources.worker(outside.baseUrl, outside.apiKey), 'neutral')
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
    installed('workerd', '1.20261117.1'),
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
    expectAnswer(await (await fetch(`http://127.0.0.1:${worker.address}/`)).text())
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
