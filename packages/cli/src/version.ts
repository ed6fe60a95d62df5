import { existsSync, readFileSync } from 'node:fs'

/** The version of this package. Its manifest is above this file, which may be a packed one. */
export function readVersion(): string {
  let folder = new URL('.', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder)
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}
