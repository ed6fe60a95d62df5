import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { docs, root } from '../folders.js'
import { optional, type PageGroup } from './list-pages.js'

/** The documentation of `farebox mcp --docs`, which works without a network. */
export const docsPagesFile = join(root, 'packages/cli/docs/pages.json')

/**
 * The pages as `packages/cli` reads them, a line for each, without those that a reader may skip.
 * `base` is the folder of the server that the site was built for.
 */
export function docsPagesText(
  groups: readonly PageGroup[],
  texts: ReadonlyMap<string, string>,
  base: string,
): string {
  const words = JSON.parse(readFileSync(join(docs, 'src/search-words.json'), 'utf8')) as Readonly<
    Record<string, string>
  >
  const lines = groups
    .filter(({ title }) => title !== optional)
    .flatMap(({ pages }) => pages)
    .map(({ title, address, description }) => {
      const path = address.slice(base.length).replace(/\.md$/, '')
      const text = texts.get(address) ?? ''
      return JSON.stringify({ path, title, description, words: words[`${path}/`] ?? '', text })
    })
  return `[\n${lines.join(',\n')}\n]\n`
}
