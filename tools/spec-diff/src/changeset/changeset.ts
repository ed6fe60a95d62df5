import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Change, hash } from '../change/change.js'
import { findFolder } from './generated-files.js'
import { findCarrierVerdict, type Owner } from './owners.js'
import { coversStep, listSteps, toSubjectKey, type States, type Step } from './states.js'
import { strictest, pickStricter, type Bump, type Verdict } from '../change/verdict.js'

/** What a package needs: a bump for each change that it carries, and one for changed files. */
export type Need = {
  readonly name: string
  readonly bump: Bump
  readonly carried: readonly CarriedChange[]
}

/** A change that a package carries. Below 1.0.0, the bump is smaller than the verdict. */
type CarriedChange = { readonly change: Change; readonly verdict: Verdict; readonly bump: Bump }

/** The bump that the changes require of each package. Changed generated code needs one too. */
export function listNeeds(
  changes: readonly Change[],
  owners: readonly Owner[],
  changedFiles: ReadonlySet<string>,
): readonly Need[] {
  const folders = new Set([...changedFiles].map(findFolder))
  return owners.flatMap((owner): readonly Need[] => {
    const carried = changes.flatMap((change): CarriedChange[] => {
      const verdict = findCarrierVerdict(owner, [change.verdicts])
      const bump = bumpFor(owner, verdict)
      return bump === 'none' ? [] : [{ change, verdict, bump }]
    })
    const isChanged = owner.files.some((file) => folders.has(findFolder(file)))
    return toNeed(owner.name, carried, isChanged ? 'patch' : 'none')
  })
}

function toNeed(name: string, carried: readonly CarriedChange[], least: Verdict): readonly Need[] {
  const bump = carried.map((each): Verdict => each.bump).reduce(pickStricter, least)
  return bump === 'none' ? [] : [{ name, bump, carried }]
}

/** npm counts a breaking change below 1.0.0 as a minor one (semver.org, item 4). */
function bumpFor({ version }: Owner, verdict: Verdict): Verdict {
  return verdict === 'major' && version.startsWith('0.') ? 'minor' : verdict
}

/**
 * Writes `.changeset/contract-….md` and returns its path. The file `.covers` beside it names the
 * changes, so that no changelog lists ids.
 */
export async function writeChangeset(
  folder: string,
  needs: readonly Need[],
  steps: readonly Step[],
): Promise<string> {
  const heads = needs.map(({ name, bump }) => `'${name}': ${bump}`)
  const carried = needs.flatMap((need) => need.carried)
  const changes = [...new Set(carried.map(({ change }) => change))]
  const breaking = new Set(
    carried.filter(({ verdict }) => verdict === 'major').map(({ change }) => change),
  )
  const told = changes.filter(({ verdicts }) => strictest(verdicts) !== 'none')
  const sentences = [
    ...told
      .filter((change) => breaking.has(change))
      .map(({ sentence }) => `- **Breaking:** ${sentence}.`),
    ...told.filter((change) => !breaking.has(change)).map(({ sentence }) => `- ${sentence}.`),
  ]
  const text =
    sentences.length > 0
      ? `The contract changed.\n\n${sentences.join('\n')}`
      : 'The generated code changed.'
  const path = join(folder, `contract-${hash([...heads, text].join('\n'))}`)
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.md`, `---\n${heads.join('\n')}\n---\n\n${text}\n`)
  const ids = changes.map(({ id }) => id)
  if (ids.length > 0) await writeFile(`${path}.covers`, writeCovers(ids, steps))
  await removeReleased(folder)
  return `${path}.md`
}

/** A release removes a changeset, but not the file beside it. */
async function removeReleased(folder: string): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter(
    (name) => name.endsWith('.covers') && !names.includes(name.replace(/covers$/, 'md')),
  )
  for (const name of left) await rm(join(folder, name))
}

/**
 * What no changeset covers. A change is covered if a changeset that describes it has the required
 * bump for the package, regardless of the bumps of other changesets.
 */
export function findUncovered(
  needs: readonly Need[],
  pending: readonly Pending[],
  telling: (change: Change) => readonly Pending[],
): readonly Need[] {
  const haveEnough = (some: readonly Pending[], name: string, bump: Bump) =>
    some.some(({ bumps }) => {
      const found: Verdict = bumps.get(name) ?? 'none'
      return pickStricter(bump, found) === found
    })
  return needs.flatMap((need): readonly Need[] => {
    if (need.carried.length === 0) return haveEnough(pending, need.name, need.bump) ? [] : [need]
    return toNeed(
      need.name,
      need.carried.filter(({ change, bump }) => !haveEnough(telling(change), need.name, bump)),
      'none',
    )
  })
}

/** A need as `--check` reports it. */
export function describeNeed({ name, bump, carried }: Need): string {
  return `${name}: ${bump}, for ${carried.length > 0 ? listIds(carried.map(({ change }) => change.id)) : 'its generated code'}`
}

function listIds(ids: readonly string[]): string {
  return ids.length > 3 ? `${ids.slice(0, 3).join(' ')} and ${ids.length - 3} more` : ids.join(' ')
}

/**
 * An unreleased changeset: its bumps, and from the file beside it the ids of changes and the steps
 * of their subjects.
 */
type Pending = {
  readonly bumps: ReadonlyMap<string, Bump>
  readonly ids: ReadonlySet<string>
  readonly steps: readonly Step[]
}

/** The changesets of a folder, without those that a prerelease has released. */
export async function readPending(folder: string): Promise<readonly Pending[]> {
  const released = await readPrerelease(folder)
  const files = (await readdir(folder).catch(() => [])).filter(
    (name) =>
      name.endsWith('.md') && name !== 'README.md' && !released.has(name.slice(0, -'.md'.length)),
  )
  return Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      const covers = await readFile(path.replace(/md$/, 'covers'), 'utf8').catch(() => '')
      return { bumps: parseBumps(await readFile(path, 'utf8')), ...readCovers(covers) }
    }),
  )
}

function parseBumps(text: string): ReadonlyMap<string, Bump> {
  const [, head = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  return new Map(
    [...head.matchAll(/^['"]?(.+?)['"]?:\s*(patch|minor|major)\s*$/gm)].map(
      ([, name = '', bump]) => [name, bump as Bump],
    ),
  )
}

/** The content of a `.covers` file, for the changes and the steps of a changeset. */
function writeCovers(ids: readonly string[], steps: readonly Step[]): string {
  return [
    ...ids.toSorted(),
    ...steps.map(({ subject, from, to }) => `${subject}: ${from} -> ${to}`).toSorted(),
    '',
  ].join('\n')
}

function readCovers(text: string): Pick<Pending, 'ids' | 'steps'> {
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  const step = /^(.+): (\S+) -> (\S+)$/
  return {
    ids: new Set(lines.filter((line) => !step.test(line))),
    steps: lines.flatMap((line) => {
      const [, subject, from, to] = step.exec(line) ?? []
      return subject === undefined || from === undefined || to === undefined
        ? []
        : [{ subject, from, to }]
    }),
  }
}

/**
 * The changesets that describe a change; empty if they do not describe all of it. They name the
 * change, or their steps lead its subject from one document to the other: two changesets may
 * together describe a single change.
 */
export function createLookup(
  pending: readonly Pending[],
  before: States,
  after: States,
): (change: Change) => readonly Pending[] {
  const wanted = new Map(listSteps(before, after).map((step) => [step.subject, step]))
  const steps = pending.flatMap((one) => one.steps)
  return ({ id, subject }) => {
    const key = toSubjectKey(subject)
    const step = wanted.get(key)
    const isTold =
      pending.some(({ ids }) => ids.has(id)) || (step !== undefined && coversStep(steps, step))
    return isTold
      ? pending.filter((one) => one.ids.has(id) || one.steps.some((each) => each.subject === key))
      : []
  }
}

/** The changesets that `pre.json` lists. They stay in place until the prerelease ends. */
async function readPrerelease(folder: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(folder, 'pre.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return new Set()
  const { changesets } = JSON.parse(text) as { readonly changesets?: unknown }
  return new Set(
    Array.isArray(changesets) ? changesets.filter((name) => typeof name === 'string') : [],
  )
}
