// `node tools/release/dist/install-packed.js FOLDER` runs it from a shell.
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pack } from '../../pack.mjs'
import { root } from './root.js'

const packages = join(root, 'packages')
const names = ['middleware', 'types', 'zod', 'retry', 'auth', 'mcp', 'client', 'farebox']

type Manifest = {
  readonly name: string
  readonly publishConfig: { readonly exports: unknown }
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
}

/**
 * Puts the SDK and what it needs into FOLDER/node_modules, as npm would install the published packages: with their
 * `publishConfig.exports` and their packed files, without sources. Build the packages first.
 */
export async function installPacked(folder: string): Promise<void> {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  for (const name of names) {
    const from = join(packages, name)
    const text = readFileSync(join(from, 'package.json'), 'utf8')
    const { publishConfig, devDependencies: _none, scripts, ...manifest } = JSON.parse(text) as Manifest
    if (scripts?.['prepack'] !== undefined) await pack(from)
    const to = join(folder, 'node_modules', manifest.name)
    mkdirSync(to, { recursive: true })
    writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, exports: publishConfig.exports }, undefined, 2))
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: (file) => !file.endsWith('.tsbuildinfo') })
    for (const dependency of Object.keys(manifest.dependencies ?? {})) link(join(from, 'node_modules', dependency), folder, dependency)
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
}

function link(from: string, folder: string, name: string): void {
  const to = join(folder, 'node_modules', name)
  if (name.startsWith('@farebox/') || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(realpathSync(from), to)
}

const [, script = '', folder] = process.argv
if (import.meta.url === pathToFileURL(script).href && folder !== undefined) await installPacked(folder)
