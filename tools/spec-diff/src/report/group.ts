import type { Change } from '../change/change.js'
import { strictest, type Verdict } from '../change/verdict.js'

/** The changes of one operation, one named schema or the rest of the document. */
export type Group = {
  readonly title: string
  /** The operations that the changes affect, if the title is not their only one. */
  readonly operations: readonly string[]
  /** The most breaking first. */
  readonly changes: readonly Change[]
}

export type Counts = Readonly<Record<Verdict, number>>

const order: readonly Verdict[] = ['major', 'minor', 'patch', 'none']

/** The group with the most breaking changes first; equals stay in the order of the document. */
export function groupChanges(changes: readonly Change[]): readonly Group[] {
  const groups = new Map<string, Change[]>()
  for (const change of changes) {
    const title = groupTitle(change)
    const known = groups.get(title)
    if (known === undefined) groups.set(title, [change])
    else known.push(change)
  }
  return [...groups]
    .map(([title, members]): Group => {
      const operations = [...new Set(members.flatMap((change) => change.operations))].filter(
        (id) => id !== title,
      )
      return {
        title,
        operations,
        changes: members.toSorted((one, other) => rank(one) - rank(other)),
      }
    })
    .toSorted(compareGroups)
}

export function countChanges(changes: readonly Change[]): Counts {
  const counts = { major: 0, minor: 0, patch: 0, none: 0 }
  for (const { verdicts } of changes) counts[strictest(verdicts)]++
  return counts
}

/** `2 breaking, 1 minor`. */
export function formatCounts(counts: Counts): string {
  const words: Readonly<Record<Verdict, string>> = {
    major: 'breaking',
    minor: 'minor',
    patch: 'patch',
    none: 'in no package',
  }
  return order
    .flatMap((verdict) => (counts[verdict] === 0 ? [] : [`${counts[verdict]} ${words[verdict]}`]))
    .join(', ')
}

/** What an older caller sees of a change that breaks it. */
export function formatAdapter({ adapter }: Change): string | undefined {
  return adapter === 'cannot' ? 'No adapter hides it from callers of the older version' : undefined
}

/** The sentence without the name of its group. */
export function shortenSentence({ title }: Group, { sentence }: Change): string {
  const bare = sentence.startsWith(`${title}: `) ? sentence.slice(title.length + 2) : sentence
  return `${bare.slice(0, 1).toUpperCase()}${bare.slice(1)}`
}

/** What the names that a change removes may be called now. */
export function formatRenames({ possibleRenames = [] }: Change): string | undefined {
  const names = [...new Set(possibleRenames.map(({ from }) => from))]
  if (names.length === 0) return undefined
  const parts = names.map((name) => {
    const pairs = possibleRenames.filter(({ from }) => from === name)
    return `${name} may be called ${pairs.map(({ to, id }) => `${to} (${id})`).join(' or ')} now`
  })
  return `${parts.join('; ')}: the shape is the same`
}

/** `"down" was valid and is rejected now.` */
export function formatWitness({ witness }: Change): string | undefined {
  if (witness === undefined) return undefined
  const shown = shortenValue(witness.value)
  const became =
    witness.acceptedBy === 'base'
      ? 'was valid and is rejected now'
      : 'was rejected and is valid now'
  return `${shown} ${became}${witness.adapted === undefined ? '' : `; an adapter makes it ${shortenValue(witness.adapted)}`}`
}

function shortenValue(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const longest = 100

function groupTitle({ subject }: Change): string {
  return subject.kind === 'document' ? 'The document' : subject.name
}

function rank({ verdicts }: Change): number {
  return order.indexOf(strictest(verdicts))
}

function compareGroups(one: Group, other: Group): number {
  const [a, b] = [countChanges(one.changes), countChanges(other.changes)]
  return b.major - a.major || b.minor - a.minor || b.patch - a.patch
}
