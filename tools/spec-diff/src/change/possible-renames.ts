import type { Api } from '@farebox/codegen/model'
import { nearest } from '@farebox/command-line'
import { hash, type Candidate, type RenamedKind } from './change.js'

type Origin = Api['schemas'][number]['origin']

/** A name that only one of the versions has. */
export type LoneName = {
  readonly name: string | number
  /** Names with equal shapes may refer to the same thing. */
  readonly shape: string
  readonly origin: Origin
  /** What the newer document says that it was called. */
  readonly renamedFrom?: unknown
}

export type Place = { readonly kind: RenamedKind; readonly owner?: string }

/** More candidates for one name are no evidence. */
const most = 3

/** More pairs are not compared: such a change is no series of renames, and it takes long. */
const maxPairs = 40_000

/**
 * The new names in the same place that a removed one may have now: those of the same shape. Similar
 * names rule out the others. Several candidates are ambiguous.
 */
export function findPossibleRenames(
  { kind, owner }: Place,
  gone: readonly LoneName[],
  added: readonly LoneName[],
): (name: LoneName['name']) => readonly Candidate[] {
  const stated = new Set(added.map(({ renamedFrom }) => renamedFrom))
  const open = gone.filter(({ name }) => !stated.has(name)).map(addWords)
  const free = added.filter(({ renamedFrom }) => renamedFrom === undefined).map(addWords)
  if (open.length * free.length > maxPairs) return () => []
  const pairs = open.flatMap((from) =>
    free.filter(({ shape }) => shape === from.shape).map((to) => ({ from, to })),
  )
  const similar = pairs.filter(({ from, to }) => isSimilar(from.worded, to.worded))
  const [known, taken] = [
    new Set(similar.map(({ from }) => from)),
    new Set(similar.map(({ to }) => to)),
  ]
  const unlike = pairs.filter(({ from, to }) => !known.has(from) && !taken.has(to))
  const candidates = [...dropAmbiguous(similar), ...dropAmbiguous(unlike)].map(
    ({ from: { name: from }, to: { name, origin } }): Candidate => {
      const id = `rename-${hash(JSON.stringify([kind, owner, from, name]))}`
      return { id, kind, ...(owner !== undefined && { owner }), from, to: name, origin }
    },
  )
  const byName = new Map<LoneName['name'], Candidate[]>()
  for (const one of candidates) byName.set(one.from, [...(byName.get(one.from) ?? []), one])
  return (name) => byName.get(name) ?? []
}

type WordedLoneName = LoneName & { readonly worded: WordedName }
type Pair = { readonly from: WordedLoneName; readonly to: WordedLoneName }

function addWords(one: LoneName): WordedLoneName {
  return { ...one, worded: splitName(String(one.name)) }
}

/** The pairs whose names have no more than a few partners. */
function dropAmbiguous(pairs: readonly Pair[]): readonly Pair[] {
  const partners = new Map<WordedLoneName, number>()
  for (const name of pairs.flatMap(({ from, to }) => [from, to]))
    partners.set(name, (partners.get(name) ?? 0) + 1)
  return pairs.filter(({ from, to }) =>
    [from, to].every((name) => (partners.get(name) ?? 0) <= most),
  )
}

/** A name with its words, which are compared with those of many others. */
type WordedName = { readonly text: string; readonly words: ReadonlySet<string> }

/** `userName`, `user_name` and `user-name` have the same words. */
export function splitName(text: string): WordedName {
  const words = text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return { text, words: new Set(words.map((word) => word.toLowerCase())) }
}

/** Whether two names are alike: two letters differ at most, or one has all words of the other. */
export function isSimilar(one: WordedName, other: WordedName): boolean {
  const [few, many] =
    one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words]
  return (
    (few.size > 0 && [...few].every((word) => many.has(word))) ||
    nearest(one.text, [other.text]) !== undefined
  )
}
