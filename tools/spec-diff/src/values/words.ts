import type { CharSet, NFA } from 'refa'
import { memoize } from './signature.js'

/** The words of an automaton whose length is in a range. */
export type Words = { readonly automaton: NFA; readonly range: Range }
export type Range = readonly [from: number, to: number]

export function meetRanges(one: Range, other: Range): Range {
  return [Math.max(one[0], other[0]), Math.min(one[1], other[1])]
}

export function isEmpty(words: Words): boolean {
  for (const _ of listSets(words)) return false
  return true
}

/** Words of the same sets of characters, by kinds of them, the shortest first. */
export function* listWords(words: Words): Iterable<readonly string[]> {
  const listOnce = memoize(listCharacters)
  for (const sets of listSets(words)) {
    const choices = sets.map(listOnce)
    yield [0, 1, 2].map((offset) =>
      String.fromCodePoint(...choices.map((all) => all[offset % all.length] ?? 0)),
    )
  }
}

/**
 * The words as the sets of their characters, the shortest first. It only takes ways that end in
 * a word: there may be more ways of thirty characters than memory has room for, and none of them a
 * word yet.
 */
function* listSets({ automaton, range: [from, to] }: Words): Iterable<readonly CharSet[]> {
  const { initial, finals } = automaton
  const nodes = [...automaton.nodes()]
  /** By a number of characters: where a word may end after exactly so many more. */
  const endings: ReadonlySet<NFA.Node>[] = [finals]
  // a word that is longer than this has a circle, so without it there is a shorter one in the range
  const last = Math.min(to, from + 2 * nodes.length)
  for (let length = 0; length <= last; length++) {
    const before = endings.at(-1)
    if (before?.size === 0) return
    if (length >= from && before?.has(initial) === true) yield* listWays(initial, length, endings)
    endings.push(
      new Set(nodes.filter(({ out }) => [...out.keys()].some((next) => before?.has(next)))),
    )
  }
}

/** Many ways of one length may spell the same words, as those of a pattern without edges. */
const mostWays = 100

/** Some words of a length. A loop, since they may be longer than a stack. */
function* listWays(
  initial: NFA.Node,
  length: number,
  endings: readonly ReadonlySet<NFA.Node>[],
): Iterable<readonly CharSet[]> {
  const word: CharSet[] = []
  const ways = [initial.out.entries()]
  let left = mostWays
  while (ways.length > 0) {
    if (word.length === length) {
      yield word
      if (--left === 0) return
    }
    const next = word.length === length ? undefined : ways.at(-1)?.next()
    if (next === undefined || next.done === true) {
      ways.pop()
      word.pop()
      continue
    }
    const [node, set] = next.value
    if (endings[length - word.length - 1]?.has(node) !== true) continue
    word.push(set)
    ways.push(node.out.entries())
  }
}

/** The plainest characters of a set, at least one. */
function listCharacters(set: CharSet): readonly number[] {
  const plain = plainest.filter((character) => set.has(character))
  return plain.length > 0 ? plain : [set.ranges[0]?.min ?? 0]
}

const plainest = Array.from('a1A-_./:@ ', (character) => character.charCodeAt(0))
