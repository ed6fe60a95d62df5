import { createRequire } from 'node:module'
import type { Of } from '@farebox/codegen'
import type * as RefaModule from 'refa'
import type { Alternation, Assertion, CharSet, Concatenation, NFA, NoParent } from 'refa'

/** What a schema says about strings, apart from formats. */
export type StringRules = Pick<Of<'string'>, 'pattern' | 'minLength' | 'maxLength'>

/** Larger automata prove nothing: two of a few thousand states can keep a processor busy for minutes. */
const maxNodes = 500
/** Longer bounds of length are left out, which accepts more strings. */
const longestCounted = 100

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
  const areLengthsWithin =
    Math.max(...parts.map(({ minLength = 0 }) => minLength)) >= (whole.minLength ?? 0) &&
    Math.min(...parts.map(({ maxLength = Infinity }) => maxLength)) <= (whole.maxLength ?? Infinity)
  const patterns = parts.flatMap(({ pattern }) => pattern ?? [])
  if (areLengthsWithin && (whole.pattern === undefined || patterns.includes(whole.pattern)))
    return true
  if (patterns.length === 0 && whole.pattern === undefined) return false
  if (!areLengthsWithin && !isCounted(whole)) return false
  const strings =
    further.pattern === undefined ? readRules(part) : intersect(readRules(part), readRules(further))
  const { pattern = '' } = whole
  return subtract(strings, readRules(areLengthsWithin ? { pattern } : whole))?.isEmpty === true
}

/** Whether no bound of length is left out. */
export function isCounted({ minLength = 0, maxLength = 0 }: StringRules): boolean {
  return minLength <= longestCounted && maxLength <= longestCounted
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
  let strings = readRules({})
  for (const rules of accepting) strings = intersect(strings, readRules(rules))
  for (const rules of refusing) strings = subtract(strings, readRules(rules))
  if (strings === undefined) return undefined
  const found = new Set<string>()
  for (const sets of listWordSets(strings)) {
    for (const offset of [0, 1, 2])
      found.add(String.fromCodePoint(...sets.map((set) => pickCharacter(set, offset))))
    if (found.size >= mostStrings) break
  }
  return [...found]
}

/**
 * The words of an automaton, the shortest first, each as the sets of its characters. It only takes
 * ways that end in a word: there may be more ways of thirty characters than memory has room for, and
 * none of them a word yet.
 */
function* listWordSets(automaton: NFA): Iterable<readonly CharSet[]> {
  const { initial, finals, isEmpty } = automaton
  if (isEmpty) return
  const nodes = [...automaton.nodes()]
  /** By a number of characters: where a word may end after exactly so many more. */
  const endings = [new Set(finals)]
  const walk = function* (node: NFA.Node, left: number): Iterable<readonly CharSet[]> {
    if (left === 0) yield []
    for (const [next, set] of node.out)
      if (endings[left - 1]?.has(next) === true)
        for (const rest of walk(next, left - 1)) yield [set, ...rest]
  }
  // a word that is longer than this has a circle, so there are shorter ones
  for (let length = 0; length <= 2 * nodes.length; length++) {
    const before = endings.at(-1)
    if (before?.has(initial) === true) yield* walk(initial, length)
    endings.push(
      new Set(nodes.filter(({ out }) => [...out.keys()].some((next) => before?.has(next)))),
    )
  }
}

/** Of the plainest characters of a set, the first or one after it. */
function pickCharacter(set: CharSet, offset: number): number {
  const plain = plainest.filter((character) => set.has(character))
  return plain[offset % plain.length] ?? set.ranges[0]?.min ?? 0
}

const plainest = Array.from('a1A-_./:@ ', (character) => character.charCodeAt(0))

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

function readRules({
  pattern = '',
  minLength = 0,
  maxLength = Infinity,
}: StringRules): NFA | undefined {
  const key = JSON.stringify([pattern, minLength, maxLength])
  if (!known.has(key))
    known.set(
      key,
      attempt((tools) => build(tools, pattern, minLength, maxLength)),
    )
  return known.get(key)
}

function attempt<Result>(make: (tools: Refa) => Result): Result | undefined {
  try {
    return make(refa())
  } catch {
    // a back reference, an assertion that has no such automaton, or one that is too large
    return undefined
  }
}

function build(tools: Refa, pattern: string, minLength: number, maxLength: number): NFA {
  const { JS, NFA } = tools
  const matches = readPattern(tools, pattern)
  const [least, most] = [minLength, maxLength].map((length) =>
    length <= longestCounted ? length : undefined,
  )
  if (!least && most === undefined) return matches
  const source = `[^]{${least ?? 0},${most ?? ''}}`
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags: 'u' }).parse()
  const lengths = NFA.fromRegex(expression, { maxCharacter })
  return NFA.fromIntersection(matches, lengths, new NFA.LimitedNodeFactory(maxNodes))
}

type Elements = NoParent<Concatenation>['elements']

/**
 * The strings in which a pattern matches somewhere. Throws for assertions other than `^` and `$` at
 * its edges, and for what else no automaton expresses.
 */
function readPattern({ JS, NFA }: Refa, pattern: string): NFA {
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
  const limit = new NFA.LimitedNodeFactory(maxNodes)
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
