// `node tools/install-packed.mjs FOLDER`: the SDK and what it needs in FOLDER/node_modules, as npm would install the published packages: their
// `publishConfig.exports`, their packed files, no sources. Build first. Benchmarks and the tests of other runtimes use it.
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pack } from './pack.mjs'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))
const names = ['middleware', 'types', 'zod', 'retry', 'auth', 'mcp', 'client', 'farebox']

/** @param {string} folder */
export async function installPacked(folder) {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  for (const name of names) {
    const from = join(packages, name)
    const { publishConfig, devDependencies: _none, scripts, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    if (scripts?.prepack !== undefined) await pack(from)
    const to = join(folder, 'node_modules', manifest.name)
    mkdirSync(to, { recursive: true })
    writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, exports: publishConfig.exports }, undefined, 2))
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: (file) => !file.endsWith('.tsbuildinfo') })
    for (const dependency of Object.keys(manifest.dependencies ?? {})) link(join(from, 'node_modules', dependency), folder, dependency)
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
}

/**
 * @param {string} from
 * @param {string} folder
 * @param {string} name
 */
function link(from, folder, name) {
  const to = join(folder, 'node_modules', name)
  if (name.startsWith('@farebox/') || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(realpathSync(from), to)
}

const [, script = '', folder] = process.argv
if (import.meta.url === pathToFileURL(script).href && folder !== undefined) await installPacked(folder)
