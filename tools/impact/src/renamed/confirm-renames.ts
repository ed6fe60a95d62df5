import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { UsageError } from '@farebox/command-line'
import { compareContracts, withRenames, type Change, type PossibleRename } from '@farebox/spec-diff'
import { findUses, type ImpactOptions } from '../find/find-impact.js'

export type ConfirmedRenames = {
  /** The versions with the confirmed renames, as if the newer document stated them. */
  readonly places: ImpactOptions
  /** The unanswered ones, of names that the consumer's code has. */
  readonly open: readonly PossibleRename[]
  /** All possible renames. */
  readonly all: readonly PossibleRename[]
}

/**
 * Compares two versions with the possible renames that are confirmed: by `given`, and by a person
 * at a terminal. Unconfirmed ones have no effect.
 *
 * @throws UsageError if `given` names an unknown or an ambiguous one.
 */
export async function confirmRenames(
  { base, head, program }: Omit<ImpactOptions, 'changes'>,
  given: readonly string[],
  ask?: Ask,
): Promise<ConfirmedRenames> {
  const read = { base, head, program, changes: compareContracts(base, head) }
  const all = collectPossibleRenames(read.changes)
  const chosen = parseRenamed(all, given)
  const used = listUsed(read)
  const confirmed = [
    ...chosen,
    ...(ask === undefined ? [] : await promptForRenames(ask, used, chosen)),
  ]
  const open =
    ask === undefined ? used.filter((one) => !confirmed.some((other) => excludes(one, other))) : []
  if (confirmed.length === 0) return { places: read, open, all }
  const stated = withRenames(head, confirmed)
  return {
    places: { base, head: stated, program, changes: compareContracts(base, stated) },
    open,
    all,
  }
}

/** The possible renames whose older name occurs in the code. */
function listUsed(options: ImpactOptions): readonly PossibleRename[] {
  const asked = options.changes.filter(({ possibleRenames = [] }) => possibleRenames.length > 0)
  if (asked.length === 0) return []
  const touched = new Set(findUses(options).uses.map(({ target }) => target.change.id))
  return collectPossibleRenames(asked.filter(({ id }) => touched.has(id)))
}

/** The possible renames of changes, each once. */
function collectPossibleRenames(changes: readonly Change[]): readonly PossibleRename[] {
  return [
    ...new Map(
      changes.flatMap(({ possibleRenames = [] }) => possibleRenames).map((one) => [one.id, one]),
    ).values(),
  ]
}

/** `Job.note is called remark now`. */
export function describeRename(rename: PossibleRename): string {
  return `${renameTitle(rename)} is called ${rename.to} now`
}

/**
 * The renames that `--renamed` names: each by `OLD=NEW`, by the same with its owner, or by its id.
 *
 * @throws UsageError for one that is unknown, fits several, or contradicts another.
 */
function parseRenamed(
  all: readonly PossibleRename[],
  given: readonly string[],
): readonly PossibleRename[] {
  const chosen = given.map((text) => {
    const fitting = all.filter((rename) => listForms(rename).includes(text))
    const [only] = fitting
    if (only === undefined) throw describeConflict(text, 'is no possible rename', all, all)
    if (fitting.length > 1) throw describeConflict(text, 'fits several', fitting, all)
    return only
  })
  const distinct = [...new Map(chosen.map((one) => [one.id, one])).values()]
  for (const one of distinct) {
    const others = distinct.filter((other) => other !== one && excludes(one, other))
    if (others.length > 0)
      throw describeConflict(chooseForm(one, all), 'contradicts another', [one, ...others], all)
  }
  return distinct
}

/** Whether two renames cannot both be right: a name has one new name, and comes from one. */
function excludes(one: PossibleRename, other: PossibleRename): boolean {
  return (
    one.kind === other.kind &&
    one.owner === other.owner &&
    (one.from === other.from || one.to === other.to)
  )
}

/** What to write after `--renamed`: an unambiguous form that needs no quotes. */
export function chooseForm(rename: PossibleRename, all: readonly PossibleRename[]): string {
  const fitsOnly = (form: string) =>
    all.every((one) => one.id === rename.id || !listForms(one).includes(form))
  return (
    listForms(rename).find((form) => /^[\w./@:+-]+=[\w./@:+-]+$/.test(form) && fitsOnly(form)) ??
    rename.id
  )
}

function listForms(rename: PossibleRename): readonly string[] {
  return [`${renameTitle(rename)}=${rename.to}`, `${rename.from}=${rename.to}`, rename.id]
}

function renameTitle({ owner, from }: PossibleRename): string {
  return owner === undefined ? String(from) : `${owner}.${from}`
}

function describeConflict(
  text: string,
  why: string,
  choices: readonly PossibleRename[],
  all: readonly PossibleRename[],
): UsageError {
  const found = `--renamed: found ${JSON.stringify(text)}, which ${why}.`
  if (choices.length === 0)
    return new UsageError(`${found} There is no possible rename between these versions.`)
  const lines = choices.map((one) => `  ${chooseForm(one, all)}  (${describeRename(one)})`)
  return new UsageError(`${found} Expected one of:\n${lines.join('\n')}`)
}

/** Asks a person and returns the response. */
export type Ask = (question: string) => Promise<string>

type Streams = {
  readonly in: Readable & { readonly isTTY?: boolean }
  readonly err: Writable & { readonly isTTY?: boolean }
}

/** Asks at the terminal. Undefined without one. */
export function createTerminalAsk(
  streams: Streams = { in: process.stdin, err: process.stderr },
): Ask | undefined {
  if (streams.in.isTTY !== true || streams.err.isTTY !== true) return undefined
  return async (question) => {
    const lines = createInterface({ input: streams.in, output: streams.err })
    try {
      return await new Promise<string>((resolve) => {
        // the terminal sends Ctrl+C as a key, which must not count as a no
        lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
        lines.once('close', () => resolve(''))
        lines.question(question, resolve)
      })
    } finally {
      lines.close()
    }
  }
}

/** The renames that a person confirms. Renames that contradict a confirmed one are skipped. */
async function promptForRenames(
  ask: Ask,
  renames: readonly PossibleRename[],
  chosen: readonly PossibleRename[],
): Promise<readonly PossibleRename[]> {
  const confirmed: PossibleRename[] = []
  for (const rename of renames) {
    if ([...chosen, ...confirmed].some((one) => excludes(one, rename))) continue
    const response = await ask(
      `${describeRename(rename)}, with the same shape. Is it a rename? [y/N] `,
    )
    if (/^y(?:es)?$/i.test(response.trim())) confirmed.push(rename)
  }
  return confirmed
}
