import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'
import { published } from './published.mjs'

/**
 * What a release would publish: a clone of what is committed, versioned by its changesets, built and packed.
 * @param {string} root
 * @param {string} work an empty folder
 */
export async function packed(root, work) {
  const tree = join(work, 'tree')
  const tarballs = join(work, 'tarballs')
  mkdirSync(tarballs)
  await run('git', ['clone', '--quiet', root, tree])
  await run('npx', ['--yes', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: tree })
  const bin = (/** @type {string} */ name) => join(tree, 'node_modules', '.bin', name)
  await run(bin('changeset'), ['version'], { cwd: tree })
  await run(bin('tsc'), ['-b'], { cwd: tree })

  const packages = []
  for (const { name, version, folder } of published(tree)) {
    await run('npx', ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', tarballs], { cwd: folder })
    const tarball = join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    if (!existsSync(tarball)) throw new Error(`pnpm pack of ${name} did not write ${tarball}.`)
    packages.push({ name, version, tarball })
  }
  return packages
}
