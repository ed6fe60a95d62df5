import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A published package. `path` is relative to the root, `folder` the full path. */
export type Published = {
  readonly name: string
  readonly version: string
  readonly path: string
  readonly folder: string
}

type Manifest = { readonly name: string; readonly version: string; readonly private?: boolean }

/** The packages of a tree that go to the registry: every workspace member that is not private. */
export function published(root: string): readonly Published[] {
  return ['packages', 'tools', 'tools/internal'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((child): Published[] => {
      const path = `${parent}/${child}`
      const manifest = join(root, path, 'package.json')
      if (!existsSync(manifest)) return []
      const {
        name,
        version,
        private: isPrivate,
      } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest
      return isPrivate === true ? [] : [{ name, version, path, folder: join(root, path) }]
    }),
  )
}
