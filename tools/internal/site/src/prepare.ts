import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatDiagnostic, loadDocument } from '@farebox/codegen'
import { buildBundle } from '@farebox/reference'
import { errorCodes } from './error-codes.js'
import { docs, root } from './folders.js'
import { packagePages } from './packages.js'

/**
 * Writes the generated parts of the site: contract, error codes, package pages, the bundle of the
 * reference.
 */
export async function prepare(): Promise<void> {
  const { document, diagnostics } = await loadDocument('spec/openapi.yaml', { cwd: root })
  if (document === undefined || diagnostics.length > 0)
    throw new Error(diagnostics.map(formatDiagnostic).join('\n'))
  const prepared = join(docs, '.prepared')
  mkdirSync(prepared, { recursive: true })
  writeFileSync(join(prepared, 'contract.json'), JSON.stringify(document.root))
  writeFileSync(join(prepared, 'error-codes.json'), JSON.stringify(errorCodes()))

  await buildBundle(join(docs, 'public/reference'))

  const pages = join(docs, 'src/content/docs/packages')
  rmSync(pages, { recursive: true, force: true })
  mkdirSync(pages, { recursive: true })
  for (const { slug, markdown } of packagePages())
    writeFileSync(join(pages, `${slug}.md`), markdown)
}
