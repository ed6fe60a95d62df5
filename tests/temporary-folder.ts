import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder of a test's own, and a way to remove it. */
export function createTemporaryFolder(name: string): {
  readonly folder: string
  readonly remove: () => void
} {
  const folder = mkdtempSync(join(tmpdir(), `farebox-${name}-`))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
