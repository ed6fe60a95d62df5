import { createRequire } from 'node:module'
import type { Of } from '@farebox/codegen/model'
import type * as RefaModule from 'refa'
import type { Alternation, Assertion, Concatenation, NFA, NoParent } from 'refa'
import { isEmpty, listWords, type Range, type Words } from './words.js'

/** What a schema says about strings, apart from formats. */
export type StringRules = Pick<Of<'string'>, 'pattern' | 'minLength' | 'maxLength'>

/**
 * Larger automata prove nothing: two of a few thousand states can keep a processor busy for
 * minutes.
 */
const maxNodes = 500
/** One alone may be larger: its strings can be listed. */
const maxRead = 5000
/** Bounds of length are counted up to here. */
const longest = 2000

// loading it takes longer than most comparisons
type Refa = typeof RefaModule
let loaded: Refa | undefined
function refa(): Refa {
  return (loaded ??= createRequire(import.meta.url)('refa') as Refa)
}

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

/** A short string that the rules of `accepting` accept, and those of `refusing` do not. */
export function findString(accepting: StringRules, refusing?: StringRules): string | undefined {
  return listStrings([accepting], refusing === undefined ? [] : [refusing])?.[0]
}

/** How many strings a list has at most, of each set of characters as many as it has kinds. */
const mostStrings = 24

/**
 * Short strings that satisfy all rules of one list and none of the other. Empty if there are none;
 * undefined if that cannot be found out.
 */
export function listStrings(
  accepting: readonly StringRules[],
  refusing: readonly StringRules[],
): readonly string[] | undefined {
  const { parts, isComplete } = listParts(accepting, refusing)
  const found = new Set<string>()
  for (const part of parts) {
    const before = found.size
    for (const words of listWords(part)) {
      for (const word of words) found.add(word)
      if (found.size - before >= mostStrings / parts.length) break
    }
  }
  if (found.size === 0 && !isComplete) return undefined
  return [...found].toSorted((one, other) => one.length - other.length)
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
  refusing: readonly StringRules[],
): { readonly parts: readonly Words[]; readonly isComplete: boolean } {
  const patterns = new Set(accepting.flatMap(({ pattern }) => pattern ?? []))
  const automaton =
    patterns.size === 0 ? readPattern('') : [...patterns].map(readPattern).reduce(intersect)
  if (automaton === undefined) return { parts: [], isComplete: false }
  let parts: readonly Words[] = [{ automaton, range: findRange(accepting) }]
  let isComplete = true
  for (const { pattern, minLength = 0, maxLength = Infinity } of refusing) {
    parts = parts.flatMap(({ automaton: words, range: [from, to] }) => {
      const rest =
        pattern === undefined || patterns.has(pattern)
          ? []
          : [subtract(words, readPattern(pattern))]
      isComplete &&= rest.every((one) => one !== undefined)
      return [
        { automaton: words, range: [from, Math.min(to, minLength - 1)] as const },
        { automaton: words, range: [Math.max(from, maxLength + 1), to] as const },
        ...rest.flatMap((one) => (one ? [{ automaton: one, range: [from, to] as const }] : [])),
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

/** The strings that one accepts and the other does not. Undefined if they cannot be found out. */
function subtract(strings: NFA | undefined, others: NFA | undefined): NFA | undefined {
  if (strings === undefined || others === undefined) return undefined
  return attempt(({ DFA, NFA }) => {
    const rest = DFA.fromFA(others, new DFA.LimitedNodeFactory(maxNodes))
    rest.complement(new DFA.LimitedNodeFactory(maxNodes))
    return NFA.fromIntersection(strings, rest, new NFA.LimitedNodeFactory(maxNodes))
  })
}

function intersect(one: NFA | undefined, other: NFA | undefined): NFA | undefined {
  if (one === undefined || other === undefined) return undefined
  return attempt(({ NFA }) =>
    NFA.fromIntersection(one, other, new NFA.LimitedNodeFactory(maxNodes)),
  )
}

const known = new Map<string, NFA | undefined>()

/** The strings that a pattern matches. */
function readPattern(pattern: string): NFA | undefined {
  if (!known.has(pattern))
    known.set(
      pattern,
      attempt((tools) => parsePattern(tools, pattern)),
    )
  return known.get(pattern)
}

function attempt<Result>(make: (tools: Refa) => Result): Result | undefined {
  try {
    return make(refa())
  } catch {
    // a back reference, an assertion that has no such automaton, or one that is too large
    return undefined
  }
}

type Elements = NoParent<Concatenation>['elements']

/**
 * The strings in which a pattern matches somewhere. Throws for assertions other than `^` and `$` at
 * its edges, and for what else no automaton expresses.
 */
function parsePattern({ JS, NFA }: Refa, pattern: string): NFA {
  if (pattern === '') return NFA.all({ maxCharacter: 0x10ffff })
  const parse = (source: string) => JS.Parser.fromLiteral({ source, flags: 'u' }).parse()
  const { expression, maxCharacter } = parse(pattern)
  const anything = parse('[^]*').expression.alternatives.flatMap(({ elements }) => elements)
  const alternatives = expression.alternatives
    .flatMap(({ elements }) => splitEdges(elements))
    .map((elements): NoParent<Concatenation> => {
      const [begins, ends] = [isEdge(elements[0], 'behind'), isEdge(elements.at(-1), 'ahead')]
      const inner = elements.slice(begins ? 1 : 0, ends ? -1 : undefined)
      const all = [...(begins ? [] : anything), ...inner, ...(ends ? [] : anything)]
      return { type: 'Concatenation', elements: all }
    })
  const limit = new NFA.LimitedNodeFactory(maxRead)
  return NFA.fromRegex(alternatives, { maxCharacter }, { assertions: 'throw' }, limit)
}

/** `^` and `$`: no character is there. */
function isEdge(element: Elements[number] | undefined, kind: Assertion['kind']): boolean {
  if (element?.type !== 'Assertion' || element.kind !== kind || !element.negate) return false
  const [one] = element.alternatives.length === 1 ? (element.alternatives[0]?.elements ?? []) : []
  return one?.type === 'CharacterClass' && one.characters.isAll
}

/** One list for each alternative at an edge that has an assertion. */
function splitEdges(elements: Elements): readonly Elements[] {
  const [first, last] = [elements[0], elements.at(-1)]
  if (first?.type === 'Alternation' && holdsAssertion(first))
    return first.alternatives.flatMap((one) => splitEdges([...one.elements, ...elements.slice(1)]))
  if (last?.type === 'Alternation' && holdsAssertion(last))
    return last.alternatives.flatMap((one) =>
      splitEdges([...elements.slice(0, -1), ...one.elements]),
    )
  return [elements]
}

function holdsAssertion({ alternatives }: NoParent<Alternation>): boolean {
  return alternatives.some(({ elements }) =>
    elements.some(
      (one) => one.type === 'Assertion' || (one.type === 'Alternation' && holdsAssertion(one)),
    ),
  )
}
