import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@farebox/testing/commands'
import { published } from './published.js'

/** A package as it would be published. */
export type Tarball = { readonly name: string; readonly version: string; readonly tarball: string }

/**
 * What a release would publish: a clone of the last commit, versioned by its changesets, built and
 * packed.
 *
 * @param work an empty folder
 */
export async function packed(root: string, work: string): Promise<readonly Tarball[]> {
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
  for (const { name, version, folder } of published(tree)) {
    await run('npx', ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', tarballs], {
      cwd: folder,
    })
    const tarball = join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    if (!existsSync(tarball)) throw new Error(`pnpm pack of ${name} did not write ${tarball}.`)
    packages.push({ name, version, tarball })
  }
  return packages
}
