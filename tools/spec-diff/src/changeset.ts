import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change } from './change.js'
import { folderOf } from './generated-files.js'
import { verdictOf, type Owner } from './owners.js'
import { strictest, worse, type Verdict } from './verdict.js'

/** npm counts a breaking change below 1.0.0 as a minor one (semver.org, item 4). */
export type Bump = 'patch' | 'minor' | 'major'

/** The bumps that changes require, by npm name. Changed generated code needs one too. */
export function bumpsOf(
  changes: readonly Change[],
  owners: readonly Owner[],
  changedFiles: ReadonlySet<string>,
): ReadonlyMap<string, Bump> {
  const verdicts = changes.map((change) => change.verdicts)
  const folders = new Set([...changedFiles].map(folderOf))
  const bumps = owners.flatMap((owner): [string, Bump][] => {
    const isChanged = owner.files.some((file) => folders.has(folderOf(file)))
    const verdict = worse(verdictOf(owner, verdicts), isChanged ? 'patch' : 'none')
    return verdict === 'none' ? [] : [[owner.name, verdict === 'major' && owner.version.startsWith('0.') ? 'minor' : verdict]]
  })
  return new Map(bumps)
}

/** Writes `.changeset/contract-….md` and returns its path. */
export async function writeChangeset(folder: string, changes: readonly Change[], bumps: ReadonlyMap<string, Bump>): Promise<string> {
  const heads = [...bumps].map(([name, bump]) => `'${name}': ${bump}`)
  const told = changes.filter(({ verdicts }) => strictest(verdicts) !== 'none').map(({ sentence }) => `- ${sentence}.`)
  const text = told.length > 0 ? `The contract changed.\n\n${told.join('\n')}` : 'The generated code changed.'
  const name = `contract-${fingerprint([...heads, text].join('\n'))}.md`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), `---\n${heads.join('\n')}\n---\n\n${text}\n`)
  return join(folder, name)
}

/** The largest pending bump of each package, with released changesets in a prerelease. */
export async function pendingBumps(folder: string): Promise<ReadonlyMap<string, Bump>> {
  const released = await releasedInPrerelease(folder)
  const files = (await readdir(folder).catch(() => [])).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !released.has(name.slice(0, -'.md'.length)),
  )
  const bumps = new Map<string, Bump>()
  for (const file of files) {
    const [, head = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(await readFile(join(folder, file), 'utf8')) ?? []
    for (const [, name = '', bump = ''] of head.matchAll(/^['"]?(.+?)['"]?:\s*(patch|minor|major)\s*$/gm)) {
      bumps.set(name, worse(bumps.get(name) ?? 'none', bump as Bump) as Bump)
    }
  }
  return bumps
}

/** The changesets that `pre.json` lists. They stay in place until the prerelease ends. */
async function releasedInPrerelease(folder: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(folder, 'pre.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return new Set()
  const { changesets } = JSON.parse(text) as { readonly changesets?: unknown }
  return new Set(Array.isArray(changesets) ? changesets.filter((name) => typeof name === 'string') : [])
}

/** Packages whose pending bump is smaller than the changes require. */
export function uncovered(wanted: ReadonlyMap<string, Bump>, pending: ReadonlyMap<string, Bump>): readonly string[] {
  const isEnough = (bump: Bump, found: Verdict) => worse(bump, found) === found
  return [...wanted]
    .filter(([name, bump]) => !isEnough(bump, pending.get(name) ?? 'none'))
    .map(([name, bump]) => `${name}: ${bump}, found ${pending.get(name) ?? 'none'}`)
}

/** The name depends on the changes alone, so that a second run writes the same file. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(36)
}
