import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../bench/lib/installed.mjs'
import { run, serve } from './command.mjs'
import { inChromium } from './in-chromium.mjs'
import * as sources from './sources.mjs'
import { followContract } from './vendored.mjs'

/**
 * Where a project finds what it needs.
 * @typedef {object} Outside
 * @property {string} folder its own, fresh
 * @property {string} baseUrl of the local service
 * @property {string} apiKey of the local service
 * @property {NodeJS.ProcessEnv} env names the loopback registry to npm
 * @property {readonly { readonly name: string }[]} packages all that were published
 */

const sdk = ['farebox', '@farebox/auth', '@farebox/zod']
const typed = [
  ...sdk,
  '@farebox/client',
  '@farebox/middleware',
  '@farebox/retry',
  '@farebox/types',
  'typescript@5.9.3',
  '@types/node@20.19.43',
]
const wanted = '{"text":"Tram fares","newBalance":5}'

/** Name, what it proves, and how. Each ends in an error unless the packages did in it what they promise. */
export const projects = [
  { name: 'esm', what: 'import in Node', prove: inNode('main.mjs', sources.esm) },
  { name: 'require', what: 'require() in Node', prove: inNode('main.cjs', sources.commonJs) },
  { name: 'entries', what: 'import and require() of every entry point of every package', prove: everyEntry },
  {
    name: 'ts-nodenext',
    what: 'TypeScript, module nodenext, from ESM and CommonJS',
    prove: inTypeScript('nodenext', { module: 'nodenext' }),
  },
  { name: 'ts-node20', what: 'TypeScript, module node20, from ESM and CommonJS', prove: inTypeScript('node20', { module: 'node20' }) },
  {
    name: 'ts-bundler',
    what: 'TypeScript, module resolution bundler',
    prove: inTypeScript('bundler', { module: 'esnext', moduleResolution: 'bundler' }),
  },
  { name: 'bun', what: 'import in bun', prove: inBun },
  { name: 'deno', what: 'import in deno', prove: inDeno },
  { name: 'esbuild', what: 'a bundle of esbuild, run in Chromium', prove: bundledByEsbuild },
  { name: 'vite', what: 'a bundle of vite, run in Chromium', prove: bundledByVite },
  { name: 'worker', what: 'a bundle in workerd', prove: inWorkerd },
  { name: 'command', what: 'npx farebox parse', prove: theCommand },
  { name: 'codegen', what: 'npx farebox-codegen, its output compiled', prove: theGenerator },
  { name: 'vendored', what: 'a repository that vendors the contract, follows a change of it, and is released', prove: aVendoredContract },
]

function inNode(/** @type {string} */ file, /** @type {string} */ source) {
  return async (/** @type {Outside} */ outside) => {
    await install(outside, sdk)
    writeFileSync(join(outside.folder, file), source)
    expect(await run(process.execPath, [file], calling(outside)))
  }
}

async function everyEntry(/** @type {Outside} */ outside) {
  const names = outside.packages.map(({ name }) => name)
  await install(outside, names)
  const entries = names.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(join(outside.folder, 'node_modules', name, 'package.json'), 'utf8'))
    return Object.keys(exports)
      .filter((key) => key !== './package.json')
      .map((key) => name + key.slice(1))
  })
  writeFileSync(join(outside.folder, 'main.mjs'), entries.map((entry) => `await import('${entry}')\n`).join(''))
  writeFileSync(join(outside.folder, 'main.cjs'), entries.map((entry) => `require('${entry}')\n`).join(''))
  await run(process.execPath, ['main.mjs'], calling(outside))
  await run(process.execPath, ['main.cjs'], calling(outside))
}

function inTypeScript(/** @type {string} */ kind, /** @type {Record<string, string>} */ options) {
  return async (/** @type {Outside} */ outside) => {
    await install(outside, typed)
    const { folder } = outside
    writeFileSync(join(folder, 'main.ts'), sources.typescript)
    if (kind !== 'bundler') writeFileSync(join(folder, 'required.cts'), sources.typescriptCommonJs)
    const strict = { strict: true, skipLibCheck: false, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, types: ['node'] }
    const compilerOptions = { target: 'es2022', ...options, ...strict, outDir: 'out' }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.cts'] }))
    await run(join(folder, 'node_modules/.bin/tsc'), [], { cwd: folder })
    expect(await run(process.execPath, ['out/main.js'], calling(outside)))
    if (kind !== 'bundler') expect(await run(process.execPath, ['out/required.cjs'], calling(outside)))
  }
}

async function inBun(/** @type {Outside} */ outside) {
  await install(outside, sdk)
  writeFileSync(join(outside.folder, 'main.mjs'), sources.esm)
  const platform = { x64: 'x64', arm64: 'aarch64' }[process.arch] ?? process.arch
  const bun = join(installed('bun', '1.4.4'), '..', '@oven', `bun-${process.platform}-${platform}`, 'bin', 'bun')
  expect(await run(bun, ['main.mjs'], calling(outside)))
}

async function inDeno(/** @type {Outside} */ outside) {
  await install(outside, sdk)
  writeFileSync(join(outside.folder, 'main.mjs'), sources.esm)
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  const deno = join(installed('deno', '2.9.6'), '..', '@deno', platform, 'deno')
  const { cwd, env } = calling(outside)
  const args = ['run', '--node-modules-dir=manual', '--allow-env', '--allow-net=127.0.0.1', '--allow-read=.', '--no-prompt', 'main.mjs']
  expect(await run(deno, args, { cwd, env: { ...env, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(outside.folder, '.deno') } }))
}

async function bundledByEsbuild(/** @type {Outside} */ outside) {
  expect(await inChromium(await bundle(outside, sources.browser(outside.baseUrl, outside.apiKey), 'browser'), outside.baseUrl))
}

async function bundledByVite(/** @type {Outside} */ outside) {
  const { folder } = outside
  await install(outside, [...sdk, 'vite@7.3.8'])
  writeFileSync(join(folder, 'main.js'), sources.browser(outside.baseUrl, outside.apiKey))
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="/main.js"></script>')
  const output = { entryFileNames: 'bundle.js', inlineDynamicImports: true }
  writeFileSync(
    join(folder, 'vite.config.mjs'),
    `export default { logLevel: 'warn', build: { target: 'es2022', rollupOptions: { output: ${JSON.stringify(output)} } } }\n`,
  )
  const said = await run(join(folder, 'node_modules/.bin/vite'), ['build'], { cwd: folder })
  if (/externalized for browser compatibility|is not exported/.test(said)) throw new Error(`vite warned:\n${said}`)
  expect(await inChromium(join(folder, 'dist/bundle.js'), outside.baseUrl))
}

async function inWorkerd(/** @type {Outside} */ outside) {
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
  modules = [(name = "worker", esModule = embed "${file.split('/').at(-1)}")],
  compatibilityDate = "2025-09-01",
  globalOutbound = "loopback"
);
`,
  )
  const platform = { x64: '64', arm64: 'arm64' }[process.arch] ?? process.arch
  const binary = join(
    installed('workerd', '1.20261117.1'),
    '..',
    '@cloudflare',
    `workerd-${process.platform}-${platform}`,
    'bin',
    'workerd',
  )
  const worker = await serve(binary, ['serve', config, '--control-fd=1'], /"socket":"http","port":(\d+)/, { cwd: outside.folder })
  try {
    expect(await (await fetch(`http://127.0.0.1:${worker.address}/`)).text())
  } finally {
    await worker.stop()
  }
}

async function theCommand(/** @type {Outside} */ outside) {
  await install(outside, ['farebox'])
  writeFileSync(join(outside.folder, 'fares.txt'), 'Tram fares')
  const said = await run('npx', ['--no-install', 'farebox', 'parse', 'fares.txt', '--quiet'], calling(outside))
  if (!said.includes('Tram fares')) throw new Error(`Expected the text of the document, found:\n${said}`)
}

const petstore = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
      responses:
        '200': { description: A pet, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
components:
  schemas:
    Pet: { type: object, required: [name], properties: { name: { type: string } } }
`

async function theGenerator(/** @type {Outside} */ outside) {
  const { folder } = outside
  await install(outside, ['@farebox/codegen', 'typescript@5.9.3', 'zod@4.6.7', 'openapi-fetch@0.17.0'])
  writeFileSync(join(folder, 'pets.yaml'), petstore)
  await run('npx', ['--no-install', 'farebox-codegen', '--spec', 'pets.yaml', '--out', 'src/api'], calling(outside))
  writeFileSync(
    join(folder, 'src/main.ts'),
    `import { createClient } from './api/client/index.js'
import { Pet } from './api/zod/index.js'
const client = createClient({ baseUrl: 'http://pets.example', fetch: async () => Response.json({ name: 'Tram fares' }) })
const result = await client.getPet({ petId: 7 })
console.log(JSON.stringify({ text: result.status === 200 ? Pet.parse(result.data).name : result.status, newBalance: 5 }))
`,
  )
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    outDir: 'out',
    types: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
  await run(join(folder, 'node_modules/.bin/tsc'), [], { cwd: folder })
  expect(await run(process.execPath, ['out/main.js'], { cwd: folder }))
}

async function aVendoredContract(/** @type {Outside} */ { folder, baseUrl, env }) {
  const contract = await (await fetch(new URL('/openapi.json', baseUrl))).json()
  const { version, changelog } = await followContract({ folder, contract, env })
  if (version !== '2.0.0' || !changelog.includes('pages'))
    throw new Error(`Expected 2.0.0 with the new field told, found ${version}:\n${changelog}`)
}

async function install(/** @type {Outside} */ { folder, env }, /** @type {readonly string[]} */ names) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "outside", "private": true, "type": "module" }\n')
  await run('npm', ['install', '--loglevel=error', ...names], { cwd: folder, env })
}

/** One file out of a source, by the esbuild of this tree; node's own modules are nobody's here. */
async function bundle(/** @type {Outside} */ outside, /** @type {string} */ source, /** @type {'browser' | 'neutral'} */ platform) {
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
    platform === 'neutral' ? ['--conditions=worker,browser', '--main-fields=module,main', '--external:node:*'] : ['--external:node:*']
  const said = await run(join(outside.folder, 'node_modules/.bin/esbuild'), [...args, ...conditions], { cwd: outside.folder })
  if (said.trim() !== '') throw new Error(`esbuild warned:\n${said}`)
  return file
}

/** @param {Outside} outside */
function calling({ folder, baseUrl, apiKey, env }) {
  return { cwd: folder, env: { ...env, FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: apiKey } }
}

/** What is printed must be the answer and nothing else: a warning of the runtime is a fault too. */
function expect(/** @type {string} */ said) {
  if (said.trim() !== wanted) throw new Error(`Expected ${wanted}, found:\n${said}`)
}
