// `node tools/release/dist/install-packed.js FOLDER` runs it from a shell.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pack } from './pack.js'
import { root } from './root.js'

/** The SDK and its dependencies. */
export const sdk = ['middleware', 'types', 'zod', 'mcp', 'retry', 'auth', 'client', 'farebox', 'conformance'].map(
  (name) => `packages/${name}`,
)

type Manifest = {
  readonly name: string
  readonly version: string
  readonly publishConfig: { readonly exports: unknown; readonly bin?: unknown }
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
}

/**
 * Puts the SDK, or other members by their paths from the root, with their dependencies into
 * FOLDER/node_modules, as npm would install the published packages: with what their `publishConfig`
 * replaces and their packed files, without sources. Build the packages first. Needs no package
 * manager, and writes only into FOLDER.
 */
export async function installPacked(folder: string, members: readonly string[] = sdk): Promise<void> {
  await install(folder, members, async (from, to) => {
    const { publishConfig, devDependencies: _none, scripts, ...manifest } = manifestOf(from)
    mkdirSync(to, { recursive: true })
    const { exports, bin } = publishConfig
    writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, exports, ...(bin !== undefined && { bin }) }, undefined, 2))
    const isPublished = (file: string): boolean => !file.endsWith('.tsbuildinfo') && file !== join(from, 'dist/packed')
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: isPublished })
    if (scripts?.['prepack'] !== undefined) await pack(from, join(to, 'dist/packed'))
  })
}

/**
 * The same from the very tarballs that a release would publish: the SDK, or other members by their
 * paths from the root.
 */
export async function installTarballs(folder: string, members: readonly string[] = sdk): Promise<void> {
  const place = join(folder, 'tarballs')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  packInto(place, members)
  await install(folder, members, async (from, to) => {
    const { name, version } = manifestOf(from)
    mkdirSync(to, { recursive: true })
    execFileSync('tar', [
      '-xzf',
      join(place, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`),
      '-C',
      to,
      '--strip-components=1',
    ])
  })
}

/** Packs members of the workspace, given by their paths from the root, into a folder. */
export function packInto(place: string, members: readonly string[]): void {
  const chosen = members.flatMap((member) => ['--filter', `./${member}`])
  execFileSync('npx', ['--yes', 'pnpm@12.21.0', '--recursive', ...chosen, 'pack', '--pack-destination', place], {
    cwd: root,
    stdio: 'pipe',
  })
}

async function install(folder: string, members: readonly string[], put: (from: string, to: string) => Promise<void>): Promise<void> {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  for (const member of members) {
    const from = join(root, member)
    const manifest = manifestOf(from)
    await put(from, join(folder, 'node_modules', manifest.name))
    for (const dependency of Object.keys(manifest.dependencies ?? {})) link(join(from, 'node_modules', dependency), folder, dependency)
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function link(from: string, folder: string, name: string): void {
  const to = join(folder, 'node_modules', name)
  if (name.startsWith('@farebox/') || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(realpathSync(from), to)
}

const [, script = '', folder] = process.argv
if (import.meta.url === pathToFileURL(script).href && folder !== undefined) await installPacked(folder)
