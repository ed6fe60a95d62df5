import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installPackage } from '@farebox/testing/install-package'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { run } from '@farebox/testing/commands'
import { listPublished } from './list-published.js'

/** A package as it would be published. */
type Tarball = { readonly name: string; readonly version: string; readonly tarball: string }

/**
 * What a release would publish: a clone of the last commit, versioned by its changesets, built and
 * packed.
 *
 * @param work an empty folder
 */
export async function packRelease(root: string, work: string): Promise<readonly Tarball[]> {
  const tree = join(work, 'tree')
  const tarballs = join(work, 'tarballs')
  mkdirSync(tarballs)
  await run('git', ['clone', '--quiet', root, tree])
  await run('npx', ['--yes', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline'], {
    cwd: tree,
  })
  const bin = (name: string): string => join(tree, 'node_modules', '.bin', name)
  await run(bin('changeset'), ['version'], { cwd: tree })
  await run(bin('tsc'), ['-b'], { cwd: tree })

  const packages: Tarball[] = []
  for (const { name, version, folder } of listPublished(tree)) {
    await run('npx', ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', tarballs], {
      cwd: folder,
    })
    const tarball = join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    if (!existsSync(tarball)) throw new Error(`pnpm pack of ${name} did not write ${tarball}.`)
    packages.push({ name, version, tarball })
  }
  return packages
}

/** Throws the findings of publint and attw. Packages are ESM only, so require() is ignored. */
export async function lintTarball({ name, tarball }: Tarball): Promise<void> {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(bytes).buffer },
    strict: true,
  })
  if (messages.length > 0)
    throw new Error(
      `publint of ${name}:\n${messages.map((one) => formatMessage(one, pkg, { color: false })).join('\n')}`,
    )

  const attw = installPackage('@arethetypeswrong/cli', '0.18.5')
  const { bin } = createRequire(import.meta.url)(join(attw, 'package.json')) as {
    readonly bin: { readonly attw: string }
  }
  await run(process.execPath, [
    join(attw, bin.attw),
    tarball,
    '--profile',
    'esm-only',
    '--no-color',
    '--no-emoji',
  ])
}
