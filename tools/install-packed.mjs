// `node tools/install-packed.mjs FOLDER`: the SDK and what it needs in FOLDER/node_modules, as npm would install the published packages: their
// `publishConfig.exports`, their packed files, no sources. Build first. Benchmarks and the tests of other runtimes use it.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pack } from './pack.mjs'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))
const names = ['middleware', 'types', 'zod', 'mcp', 'retry', 'auth', 'client', 'farebox', 'conformance']

/**
 * Without a package manager, so that a test may do it: nothing outside of the folder is written.
 * @param {string} folder
 */
export async function installPacked(folder) {
  await install(folder, async (from, to) => {
    const { publishConfig, devDependencies: _none, scripts, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    mkdirSync(to, { recursive: true })
    writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, exports: publishConfig.exports }, undefined, 2))
    const isPublished = (/** @type {string} */ file) => !file.endsWith('.tsbuildinfo') && file !== join(from, 'dist/packed')
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: isPublished })
    if (scripts?.prepack !== undefined) await pack(from, join(to, 'dist/packed'))
  })
}

/**
 * From the very tarballs that a release would publish.
 * @param {string} folder
 */
export async function installTarballs(folder) {
  await install(folder, async (from, to) => {
    const place = join(folder, 'tarballs', to.slice(folder.length).replaceAll(/\W+/g, '-'))
    mkdirSync(place, { recursive: true })
    mkdirSync(to, { recursive: true })
    execFileSync('npx', ['--yes', 'pnpm@12.21.0', '--silent', 'pack', '--pack-destination', place], { cwd: from, stdio: 'pipe' })
    execFileSync('tar', ['-xzf', join(place, readdirSync(place)[0] ?? ''), '-C', to, '--strip-components=1'])
  })
}

/**
 * @param {string} folder
 * @param {(from: string, to: string) => Promise<void>} put a package where it is to be
 */
async function install(folder, put) {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  for (const name of names) {
    const from = join(packages, name)
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    await put(from, join(folder, 'node_modules', manifest.name))
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
