import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change } from './change.js'
import { leadThrough, stepsBetween, subjectKey, type States, type Step } from './states.js'
import type { Bump } from './verdict.js'

/**
 * A changeset that is not released: its bumps, and what the file beside it covers, the ids of
 * changes and the steps of their subjects.
 */
export type Pending = {
  readonly bumps: ReadonlyMap<string, Bump>
  readonly ids: ReadonlySet<string>
  readonly steps: readonly Step[]
}

/** The changesets of a folder, without those that a prerelease has released. */
export async function pendingChangesets(folder: string): Promise<readonly Pending[]> {
  const released = await releasedInPrerelease(folder)
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

/** The text of a file `.covers`, for the changes and the steps of a changeset. */
export function writeCovers(ids: readonly string[], steps: readonly Step[]): string {
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
 * The changesets that tell of a change, none if they do not tell all of it. They name the change,
 * or their steps lead its subject from the one document to the other: two changesets of one line
 * may tell of a single change.
 */
export function createLookup(
  pending: readonly Pending[],
  before: States,
  after: States,
): (change: Change) => readonly Pending[] {
  const wanted = new Map(stepsBetween(before, after).map((step) => [step.subject, step]))
  const steps = pending.flatMap((one) => one.steps)
  return ({ id, subject }) => {
    const key = subjectKey(subject)
    const step = wanted.get(key)
    const isTold =
      pending.some(({ ids }) => ids.has(id)) || (step !== undefined && leadThrough(steps, step))
    return isTold
      ? pending.filter((one) => one.ids.has(id) || one.steps.some((each) => each.subject === key))
      : []
  }
}

/** The changesets that `pre.json` lists. They stay in place until the prerelease ends. */
async function releasedInPrerelease(folder: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(folder, 'pre.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return new Set()
  const { changesets } = JSON.parse(text) as { readonly changesets?: unknown }
  return new Set(
    Array.isArray(changesets) ? changesets.filter((name) => typeof name === 'string') : [],
  )
}
