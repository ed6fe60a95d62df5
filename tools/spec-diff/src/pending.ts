import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bump } from './verdict.js'

/** A changeset that is not released: its bumps, and the changes that the file beside it names. */
export type Pending = { readonly bumps: ReadonlyMap<string, Bump>; readonly ids: ReadonlySet<string> }

/** The changesets of a folder, without those that a prerelease has released. */
export async function pendingChangesets(folder: string): Promise<readonly Pending[]> {
  const released = await releasedInPrerelease(folder)
  const files = (await readdir(folder).catch(() => [])).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !released.has(name.slice(0, -'.md'.length)),
  )
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      const covers = await readFile(path.replace(/md$/, 'covers'), 'utf8').catch(() => '')
      return { bumps: bumpsIn(await readFile(path, 'utf8')), ids: new Set(covers.split(/\s+/).filter((id) => id !== '')) }
    }),
  )
}

function bumpsIn(text: string): ReadonlyMap<string, Bump> {
  const [, head = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  return new Map([...head.matchAll(/^['"]?(.+?)['"]?:\s*(patch|minor|major)\s*$/gm)].map(([, name = '', bump]) => [name, bump as Bump]))
}

/** The changesets that `pre.json` lists. They stay in place until the prerelease ends. */
async function releasedInPrerelease(folder: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(folder, 'pre.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return new Set()
  const { changesets } = JSON.parse(text) as { readonly changesets?: unknown }
  return new Set(Array.isArray(changesets) ? changesets.filter((name) => typeof name === 'string') : [])
}
