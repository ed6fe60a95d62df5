import { readdirSync, readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The packages of a tree that go to the registry: every workspace member that is not private.
 * @param {string} root
 * @returns {readonly import('./published.d.mts').Published[]}
 */
export function published(root) {
  return ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((child) => {
      const path = `${parent}/${child}`
      const manifest = join(root, path, 'package.json')
      if (!existsSync(manifest)) return []
      const { name, version, private: kept } = JSON.parse(readFileSync(manifest, 'utf8'))
      return kept === true ? [] : [{ name, version, path, folder: join(root, path) }]
    }),
  )
}
