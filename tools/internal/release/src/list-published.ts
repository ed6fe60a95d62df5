import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.js'

/** A published package. `path` is relative to the root, `folder` the full path. */
export type PublishedPackage = {
  readonly name: string
  readonly version: string
  readonly path: string
  readonly folder: string
}

type Manifest = { readonly name: string; readonly version: string; readonly private?: boolean }

/** The packages of a tree that go to the registry: every workspace member that is not private. */
export function listPublished(root: string): readonly PublishedPackage[] {
  return ['packages', 'tools', 'tools/internal'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((child): PublishedPackage[] => {
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

/** What a README says of the size of its package, in kB. */
type ReadmeFigure = { readonly name: string; readonly kilobytes: number }

/** The figures of all published packages that state one. */
export function listReadmeFigures(): readonly ReadmeFigure[] {
  return listPublished(root).flatMap(({ name, folder }) => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    const [, figure] = /^Bundle size, minified and compressed: ([\d.]+) kB/m.exec(readme) ?? []
    return figure === undefined ? [] : [{ name, kilobytes: Number(figure) }]
  })
}

/** Whether a figure is true to within a twentieth. */
export function isTrue({ kilobytes }: ReadmeFigure, bytes: number): boolean {
  return Math.abs(bytes / 1000 - kilobytes) < 0.05 * kilobytes + 0.05
}
