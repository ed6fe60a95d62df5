import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { findStyleSheet } from '../build-bundle.js'

const notice =
  '/* Generated from tools/internal/reference. Do not edit: run `pnpm generate` instead. Includes preact and preact-render-to-string, copyright Jason Miller, MIT. */'

/**
 * Writes the renderer of `farebox-codegen --only docs` into an empty folder: one module that needs
 * no package, with the script and the style sheet of the pages in it.
 */
export async function buildRenderer(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const assets = {
    script: await bundle({
      entryPoints: [fileURLToPath(new URL('element.js', import.meta.url))],
      // not a module: browsers load those from a server only
      format: 'iife',
      platform: 'browser',
      minify: true,
    }),
    style: await bundle({
      stdin: { contents: readStyle(), loader: 'css' },
      minify: true,
    }),
  }
  const module = await bundle({
    stdin: {
      contents: `import { renderDocs as render } from './site.js'
const assets = ${JSON.stringify(assets)}
export function renderDocs(input) {
  return render(input, assets)
}
`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
  })
  writeFileSync(join(folder, 'render-docs.js'), module)
  const types = readFileSync(new URL('input.d.ts', import.meta.url), 'utf8')
  writeFileSync(
    join(folder, 'render-docs.d.ts'),
    `${types.replace(/^\/\/# sourceMappingURL.*$/m, '').trimEnd()}\nexport declare function renderDocs(input: DocsInput): Iterable<DocsFile>\n`,
  )
}

function readStyle(): string {
  return ['page', 'operation', 'console', 'docs']
    .map((name) => readFileSync(findStyleSheet(name), 'utf8'))
    .join('\n')
}

async function bundle(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    target: 'es2022',
    legalComments: 'none',
    charset: 'utf8',
    banner: { js: notice, css: notice },
  })
  return outputFiles?.[0]?.text ?? ''
}
