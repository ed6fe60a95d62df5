import { createRequire } from 'node:module'

/** The version of this package. It finds its manifest by name: it may stand in a packed file. */
export function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('@farebox/cli/package.json')
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}
