import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Writes the bundle into an empty folder: `console.js` with the modules that it loads on demand, and
 * `console-style.css`. The site and the service serve the same files.
 */
export async function buildBundle(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await build({
    entryPoints: {
      console: fileURLToPath(new URL('element.js', import.meta.url)),
      'console-style': findStyleSheet('console'),
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
  })
}

export function findStyleSheet(name: string): string {
  return fileURLToPath(new URL(`../${name}.css`, import.meta.url))
}
