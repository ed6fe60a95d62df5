// Writes operator-page.html: the page of the operator in one file. `--check` compares instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = (name) => fileURLToPath(new URL(`../operator-page/${name}`, import.meta.url))
const target = new URL('operator-page.html', import.meta.url)

async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [source(name)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    tsconfig: source('tsconfig.json'),
    charset: 'utf8',
    legalComments: 'none',
  })
  return outputFiles[0].text.trim()
}

const [script, style] = await Promise.all([bundle('main.tsx'), bundle('page.css')])
const page = readFileSync(source('page.html'), 'utf8')
  .replace('<style>', () => `<style>${style}`)
  .replace('<script>', () => `<script>${script}`)
if (!existsSync(target) || readFileSync(target, 'utf8') !== page) {
  if (process.argv.includes('--check')) {
    process.stderr.write(
      'packages/service/prepared/operator-page.html is out of date: run `npx --yes pnpm@12.21.0 generate`.\n',
    )
    process.exitCode = 1
  } else writeFileSync(target, page)
}
