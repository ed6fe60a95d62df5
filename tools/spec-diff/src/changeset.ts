import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change } from './change.js'
import { folderOf } from './generated-files.js'
import { hashOf } from './hash.js'
import { verdictOf, type Owner } from './owners.js'
import type { Pending } from './pending.js'
import { strictest, worse, type Bump, type Verdict } from './verdict.js'

/** What a package needs: a bump for each change that it carries, and one for changed files. */
export type Need = { readonly name: string; readonly bump: Bump; readonly changes: readonly (readonly [id: string, bump: Bump])[] }

/** What the changes ask of each package. Changed generated code needs a version too. */
export function needsOf(changes: readonly Change[], owners: readonly Owner[], changedFiles: ReadonlySet<string>): readonly Need[] {
  const folders = new Set([...changedFiles].map(folderOf))
  return owners.flatMap((owner): readonly Need[] => {
    const carried = changes.flatMap(({ id, verdicts }): [string, Bump][] => {
      const bump = bumpFor(owner, verdictOf(owner, [verdicts]))
      return bump === 'none' ? [] : [[id, bump]]
    })
    const isChanged = owner.files.some((file) => folders.has(folderOf(file)))
    const bump = carried.map(([, each]): Verdict => each).reduce(worse, isChanged ? 'patch' : 'none')
    return bump === 'none' ? [] : [{ name: owner.name, bump, changes: carried }]
  })
}

/** npm counts a breaking change below 1.0.0 as a minor one (semver.org, item 4). */
function bumpFor({ version }: Owner, verdict: Verdict): Verdict {
  return verdict === 'major' && version.startsWith('0.') ? 'minor' : verdict
}

/**
 * Writes `.changeset/contract-….md` and returns its path. The file `.covers` beside it names the
 * changes, so that no changelog lists ids.
 */
export async function writeChangeset(folder: string, changes: readonly Change[], needs: readonly Need[]): Promise<string> {
  const heads = needs.map(({ name, bump }) => `'${name}': ${bump}`)
  const told = changes.filter(({ verdicts }) => strictest(verdicts) !== 'none')
  const sentences = told.map(({ sentence }) => `- ${sentence}.`)
  const text = sentences.length > 0 ? `The contract changed.\n\n${sentences.join('\n')}` : 'The generated code changed.'
  // the name depends on the changes alone, so that a second run writes the same file
  const path = join(folder, `contract-${hashOf([...heads, text].join('\n'))}`)
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.md`, `---\n${heads.join('\n')}\n---\n\n${text}\n`)
  if (changes.length > 0)
    await writeFile(
      `${path}.covers`,
      `${changes
        .map(({ id }) => id)
        .toSorted()
        .join('\n')}\n`,
    )
  await removeReleased(folder)
  return `${path}.md`
}

/** A release removes a changeset, and not what lies beside it. */
async function removeReleased(folder: string): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter((name) => name.endsWith('.covers') && !names.includes(name.replace(/covers$/, 'md')))
  for (const name of left) await rm(join(folder, name))
}

/**
 * What no changeset covers. A changeset covers the changes that it names, with its bump for the
 * package, however large the bumps of other changesets are.
 */
export function uncovered(needs: readonly Need[], pending: readonly Pending[]): readonly string[] {
  const isEnough = (name: string, bump: Bump, { bumps }: Pending) => {
    const found: Verdict = bumps.get(name) ?? 'none'
    return worse(bump, found) === found
  }
  return needs.flatMap(({ name, bump, changes }) => {
    const missing = changes.filter(([id, each]) => !pending.some((one) => one.ids.has(id) && isEnough(name, each, one)))
    if (missing.length > 0) return [`${name}: ${bump}, for ${listed(missing.map(([id]) => id))}`]
    return changes.length > 0 || pending.some((one) => isEnough(name, bump, one)) ? [] : [`${name}: ${bump}, for its generated code`]
  })
}

function listed(ids: readonly string[]): string {
  return ids.length > 3 ? `${ids.slice(0, 3).join(' ')} and ${ids.length - 3} more` : ids.join(' ')
}
