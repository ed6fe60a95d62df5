import type { Of } from '@farebox/codegen/model'
import { intersect, type PatternWords, readPattern, subtract } from './patterns.js'
import { isEmpty, listWords, meetRanges, type Range, type Words } from './words.js'

/** What a schema says about strings, apart from formats. */
export type StringRules = Pick<Of<'string'>, 'pattern' | 'minLength' | 'maxLength'>

/** Bounds of length are counted up to here. */
const longest = 2000

/**
 * Whether the rules of `whole` are proven to accept every string that those of `part`, and further
 * ones that hold of it, accept.
 */
export function includesStrings(
  part: StringRules,
  whole: StringRules,
  further: StringRules = {},
): boolean {
  const parts = [part, further]
  const [from, to] = findRange(parts)
  const patterns = parts.flatMap(({ pattern }) => pattern ?? [])
  if (from >= (whole.minLength ?? 0) && to <= (whole.maxLength ?? Infinity)) {
    if (whole.pattern === undefined || patterns.includes(whole.pattern)) return true
  } else if (patterns.length === 0 && whole.pattern === undefined) return false
  const rest = listParts(parts, [whole])
  return rest.isComplete && rest.parts.every(isEmpty)
}

/** A short string that the rules of `accepting` accept, and those of `rejecting` do not. */
export function findString(accepting: StringRules, rejecting?: StringRules): string | undefined {
  return listStrings([accepting], rejecting === undefined ? [] : [rejecting])?.[0]
}

/** How many sets of characters are tried for strings that a pattern may reject after all. */
const mostTries = 1000

/** How many strings an array has at most, of each set of characters as many as it has kinds. */
const mostStrings = 24

/**
 * Short strings that satisfy all rules of one list and none of the other. Empty if there are none;
 * undefined if that cannot be found out.
 */
export function listStrings(
  accepting: readonly StringRules[],
  rejecting: readonly StringRules[],
): readonly string[] | undefined {
  const { parts, isComplete } = listParts(accepting, rejecting)
  const found = new Set<string>()
  for (const part of parts) {
    const before = found.size
    let tries = 0
    for (const words of listWords(part)) {
      for (const word of words) if (isComplete || isMet(word, accepting, rejecting)) found.add(word)
      if (found.size - before >= mostStrings / parts.length || ++tries === mostTries) break
    }
  }
  if (found.size === 0 && !isComplete) return undefined
  return [...found].toSorted((one, other) => one.length - other.length)
}

function isMet(
  word: string,
  accepting: readonly StringRules[],
  rejecting: readonly StringRules[],
): boolean {
  const { length } = Array.from(word)
  const accepts = ({ pattern = '', minLength = 0, maxLength = Infinity }: StringRules) =>
    length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(word)
  return accepting.every(accepts) && !rejecting.some(accepts)
}

function findRange(rules: readonly StringRules[]): Range {
  return [
    Math.max(0, ...rules.map(({ minLength = 0 }) => minLength)),
    Math.min(Infinity, ...rules.map(({ maxLength = Infinity }) => maxLength)),
  ]
}

/** More parts are not told apart: there are up to three for each rule that must not hold. */
const mostParts = 30

/**
 * The strings that satisfy all rules of one list and none of the other, in parts. A rule does not
 * hold of a string that is too short, is too long, or does not match. `isComplete`: no part is left
 * out because no automaton expresses it.
 */
function listParts(
  accepting: readonly StringRules[],
  rejecting: readonly StringRules[],
): { readonly parts: readonly Words[]; readonly isComplete: boolean } {
  const patterns = new Set(accepting.flatMap(({ pattern }) => pattern ?? []))
  const whole = [...patterns, ...(patterns.size === 0 ? [''] : [])].map(readPattern).reduce(meet)
  if (whole === undefined) return { parts: [], isComplete: false }
  let parts: readonly Words[] = [{ ...whole, range: meetRanges(whole.range, findRange(accepting)) }]
  let isComplete = whole.isExact
  for (const { pattern, minLength = 0, maxLength = Infinity } of rejecting) {
    const isKnown = pattern === undefined || patterns.has(pattern)
    const words = isKnown ? undefined : readPattern(pattern)
    isComplete &&= isKnown || words?.isExact === true
    const [least, most] = meetRanges([minLength, maxLength], words?.range ?? [0, Infinity])
    parts = parts.flatMap(({ automaton, range: [from, to] }) => {
      const rest = words && subtract(automaton, words.automaton)
      isComplete &&= words === undefined || rest !== undefined
      return [
        { automaton, range: [from, Math.min(to, least - 1)] as const },
        { automaton, range: [Math.max(from, most + 1), to] as const },
        ...(rest ? [{ automaton: rest, range: [from, to] as const }] : []),
      ].filter(
        ({ automaton: one, range }) =>
          range[0] <= range[1] && range[0] !== Infinity && !one.isEmpty,
      )
    })
    isComplete &&= parts.length <= mostParts
    parts = parts.slice(0, mostParts)
  }
  const counted = parts.filter(({ range: [from] }) => from <= longest)
  return { parts: counted, isComplete: isComplete && counted.length === parts.length }
}

function meet(
  one: PatternWords | undefined,
  other: PatternWords | undefined,
): PatternWords | undefined {
  if (one === undefined || other === undefined) return undefined
  const automaton = intersect(one.automaton, other.automaton)
  const isExact = one.isExact && other.isExact
  return automaton && { automaton, range: meetRanges(one.range, other.range), isExact }
}
