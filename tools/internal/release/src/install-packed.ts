// `node tools/internal/release/dist/install-packed.js FOLDER` runs it from a shell.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pack } from './pack.js'
import { root } from './root.js'

/** The SDK and its dependencies. */
export const sdk = ['middleware', 'types', 'zod', 'retry', 'auth', 'client', 'farebox'].map(
  (name) => `packages/${name}`,
)

type Manifest = {
  readonly name: string
  readonly files: readonly string[]
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
export async function installPacked(
  folder: string,
  members: readonly string[] = sdk,
): Promise<void> {
  await install(folder, members, async (from, to) => {
    const { publishConfig, devDependencies: _none, scripts, ...manifest } = readManifest(from)
    mkdirSync(to, { recursive: true })
    const { exports, bin } = publishConfig
    writeFileSync(
      join(to, 'package.json'),
      JSON.stringify({ ...manifest, exports, ...(bin !== undefined && { bin }) }, undefined, 2),
    )
    const isPublished = (file: string): boolean =>
      !file.endsWith('.tsbuildinfo') && file !== join(from, 'dist/packed')
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: isPublished })
    if (scripts?.['prepack'] !== undefined) await pack(from, join(to, 'dist/packed'))
  })
}

/**
 * The same from the very tarballs that a release would publish: the SDK, or other members by their
 * paths from the root. The task `package` leaves them in its packages. What has changed since is
 * packed again.
 */
export async function installTarballs(
  folder: string,
  members: readonly string[] = sdk,
): Promise<void> {
  const stale = members.filter((member) => !isPacked(join(root, member)))
  if (stale.length > 0) runPnpm(stale, ['run', 'package'])
  await install(folder, members, async (from, to) => {
    mkdirSync(to, { recursive: true })
    execFileSync('tar', ['-xzf', join(from, packedFile), '-C', to, '--strip-components=1'])
  })
}

/** Where the script `package` of a package leaves its tarball. */
const packedFile = '.packed/package.tgz'

/** Whether a package has a tarball that is not older than any of its files. */
function isPacked(folder: string): boolean {
  const tarball = join(folder, packedFile)
  if (!existsSync(tarball)) return false
  const { files } = readManifest(folder)
  const packed = [
    'package.json',
    'README.md',
    'dist',
    ...files.filter((name) => !name.startsWith('!')),
  ].map((name) => join(folder, name))
  const { mtimeMs } = statSync(tarball)
  return packed.filter(existsSync).every((path) => findNewestTime(path) <= mtimeMs)
}

/** When a file, or the newest one in a folder, was written. */
function findNewestTime(path: string): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  // `tsc -b` writes the state of a build anew where nothing is different
  const names = readdirSync(path).filter((name) => !name.endsWith('.tsbuildinfo'))
  return Math.max(0, ...names.map((name) => findNewestTime(join(path, name))))
}

/** Packs members of the workspace, given by their paths from the root, into a folder. */
export function packInto(place: string, members: readonly string[]): void {
  runPnpm(members, ['pack', '--pack-destination', place])
}

function runPnpm(members: readonly string[], args: readonly string[]): void {
  const chosen = members.flatMap((member) => ['--filter', `./${member}`])
  execFileSync('npx', ['--yes', 'pnpm@12.21.0', '--recursive', ...chosen, ...args], {
    cwd: root,
    stdio: 'pipe',
  })
}

async function install(
  folder: string,
  members: readonly string[],
  put: (from: string, to: string) => Promise<void>,
): Promise<void> {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  for (const member of members)
    await put(
      join(root, member),
      join(folder, 'node_modules', readManifest(join(root, member)).name),
    )
  // after all members: one of them may be a dependency of another, and a link would lead into the
  // tree
  for (const member of members) {
    const from = join(root, member)
    for (const name of Object.keys(readManifest(from).dependencies ?? {}))
      link(join(from, 'node_modules', name), folder, name)
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function link(from: string, folder: string, name: string): void {
  const to = join(folder, 'node_modules', name)
  if (name.startsWith('@farebox/') || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(realpathSync(from), to)
}

const [, script = '', folder] = process.argv
if (import.meta.url === pathToFileURL(script).href && folder !== undefined)
  await installPacked(folder)
