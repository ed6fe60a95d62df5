import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { published } from './published.js'
import { root } from './root.js'

/** What a README says of the size of its package, in kB. */
export type ReadmeFigure = { readonly name: string; readonly kilobytes: number }

/** The figures of all published packages that state one. */
export function readmeFigures(): readonly ReadmeFigure[] {
  return published(root).flatMap(({ name, folder }) => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    const [, figure] = /^Bundle size, minified and compressed: ([\d.]+) kB/m.exec(readme) ?? []
    return figure === undefined ? [] : [{ name, kilobytes: Number(figure) }]
  })
}

/** Whether a figure is true to within a twentieth. */
export function isTrue({ kilobytes }: ReadmeFigure, bytes: number): boolean {
  return Math.abs(bytes / 1000 - kilobytes) < 0.05 * kilobytes + 0.05
}
