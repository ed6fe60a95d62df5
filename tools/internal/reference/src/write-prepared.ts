// Writes the reference page that the service serves at its root, and the renderer of the output
// `docs` of the generator, as a part of `pnpm generate`. `--check` compares instead.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadDocument } from '@farebox/codegen'
import { buildBundle, findStyleSheet } from './build-bundle.js'
import { buildRenderer } from './docs/build-renderer.js'
import type { OperationPage } from './page/contract.js'
import { referencePage } from './page/page.js'
import type { Sample } from './page/operation.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** The languages of the samples, in the order of the site. */
const languages = [
  { label: 'curl', file: 'curl.sh' },
  { label: 'fetch', file: 'fetch.ts' },
  { label: 'SDK', file: 'sdk.ts' },
  { label: 'openai', file: 'openai.ts' },
  { label: 'Python', file: 'python.py' },
]

function listSamples({ slug }: OperationPage): readonly Sample[] {
  const folder = join(root, 'packages/docs/samples/api', slug)
  return languages
    .filter(({ file }) => existsSync(join(folder, file)))
    .map(({ label, file }) => ({ label, code: readFileSync(join(folder, file), 'utf8').trimEnd() }))
}

async function writeService(folder: string): Promise<void> {
  const { document } = await loadDocument('spec/openapi.yaml', { cwd: root })
  if (document === undefined)
    throw new Error('spec/openapi.yaml cannot be read: `pnpm generate` says why.')
  await buildBundle(folder)
  const style = ['page', 'operation']
    .map((name) => readFileSync(findStyleSheet(name), 'utf8'))
    .join('\n')
  writeFileSync(join(folder, 'page.css'), style)
  writeFileSync(join(folder, 'index.html'), referencePage(document.root, listSamples))
}

/** What is written, by its folder. */
const parts = [
  { target: 'packages/service/prepared/generated', write: writeService },
  { target: 'tools/codegen/prepared/generated', write: buildRenderer },
]

function readFiles(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {}
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}

for (const { target, write } of parts) {
  if (!process.argv.includes('--check')) {
    await write(join(root, target))
    continue
  }
  const folder = mkdtempSync(join(tmpdir(), 'farebox-reference-'))
  await write(folder)
  const isSame = JSON.stringify(readFiles(folder)) === JSON.stringify(readFiles(join(root, target)))
  rmSync(folder, { recursive: true })
  if (isSame) continue
  process.stderr.write(`${target} is out of date: run \`npx --yes pnpm@12.21.0 generate\`.\n`)
  process.exitCode = 1
}
