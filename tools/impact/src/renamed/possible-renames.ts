import { UsageError } from '@farebox/command-line'
import type { Change, PossibleRename } from '@farebox/spec-diff'

/** The possible renames of changes, each once. */
export function collectPossibleRenames(changes: readonly Change[]): readonly PossibleRename[] {
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
export function chosenFrom(
  all: readonly PossibleRename[],
  given: readonly string[],
): readonly PossibleRename[] {
  const chosen = given.map((text) => {
    const fitting = all.filter((rename) => listForms(rename).includes(text))
    const [only] = fitting
    if (only === undefined) throw refusal(text, 'is no possible rename', all, all)
    if (fitting.length > 1) throw refusal(text, 'fits several', fitting, all)
    return only
  })
  const distinct = [...new Map(chosen.map((one) => [one.id, one])).values()]
  for (const one of distinct) {
    const others = distinct.filter((other) => other !== one && excludes(one, other))
    if (others.length > 0)
      throw refusal(typedAs(one, all), 'contradicts another', [one, ...others], all)
  }
  return distinct
}

/** Whether two renames cannot both be right: a name has one new name, and comes from one. */
export function excludes(one: PossibleRename, other: PossibleRename): boolean {
  return (
    one.kind === other.kind &&
    one.owner === other.owner &&
    (one.from === other.from || one.to === other.to)
  )
}

/** What to write after `--renamed`: a form that fits nothing else and needs no quotes. */
export function typedAs(rename: PossibleRename, all: readonly PossibleRename[]): string {
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

function refusal(
  text: string,
  why: string,
  choices: readonly PossibleRename[],
  all: readonly PossibleRename[],
): UsageError {
  const found = `--renamed: found ${JSON.stringify(text)}, which ${why}.`
  if (choices.length === 0)
    return new UsageError(`${found} There is no possible rename between these versions.`)
  const lines = choices.map((one) => `  ${typedAs(one, all)}  (${describeRename(one)})`)
  return new UsageError(`${found} Expected one of:\n${lines.join('\n')}`)
}
