// Writes what the pages are made of and is not written by hand: the bundled contract, the reference of each package, the changelog.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { formatDiagnostic, loadDocument } from '@farebox/codegen'
import { errorCodes } from './error-codes.mjs'
import { packagePages } from './packages.mjs'

const here = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
mkdirSync(`${here}/.prepared`, { recursive: true })

const { document, diagnostics } = await loadDocument('spec/openapi.yaml', { cwd: root })
if (document === undefined || diagnostics.length > 0) {
  console.error(diagnostics.map(formatDiagnostic).join('\n'))
  process.exit(1)
}
writeFileSync(`${here}/.prepared/contract.json`, JSON.stringify(document.root))
writeFileSync(`${here}/.prepared/error-codes.json`, JSON.stringify(errorCodes()))

const pages = `${here}/src/content/docs/packages`
rmSync(pages, { recursive: true, force: true })
mkdirSync(pages, { recursive: true })
for (const { slug, markdown } of packagePages()) writeFileSync(`${pages}/${slug}.md`, markdown)
