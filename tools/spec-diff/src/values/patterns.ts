import { createRequire } from 'node:module'
import type * as RefaModule from 'refa'
import type { Alternation, Assertion, Concatenation, NFA, NoParent, Quantifier } from 'refa'
import { meetRanges, type Words } from './words.js'

/**
 * Larger automata prove nothing: two of a few thousand states can keep a processor busy for
 * minutes.
 */
const maxNodes = 500
/** One alone may be larger: its strings can be listed. */
const maxRead = 20_000

// loading it takes longer than most comparisons
type Refa = typeof RefaModule
let loaded: Refa | undefined
function loadRefa(): Refa {
  return (loaded ??= createRequire(import.meta.url)('refa') as Refa)
}

/** The strings that one accepts and the other does not. Undefined if they cannot be found out. */
export function subtract(strings: NFA | undefined, others: NFA | undefined): NFA | undefined {
  if (strings === undefined || others === undefined) return undefined
  return attempt((tools) => subtractWith(tools, strings, others))
}

/** The strings that both accept. Undefined if they cannot be found out. */
export function intersect(one: NFA | undefined, other: NFA | undefined): NFA | undefined {
  if (one === undefined || other === undefined) return undefined
  return attempt((tools) => intersectWith(tools, one, other))
}

/** `isExact`: they are the strings of a pattern, and not some more. */
export type PatternWords = Words & { readonly isExact: boolean }

const known = new Map<string, PatternWords | undefined>()

/**
 * The strings in which a pattern matches somewhere. Where no automaton expresses an assertion, it is
 * left out. Undefined if the pattern has no automaton.
 */
export function readPattern(pattern: string): PatternWords | undefined {
  if (known.has(pattern)) return known.get(pattern)
  const read = (assertions: Assertions) =>
    attempt((tools) => ({
      ...parsePattern(tools, pattern, assertions),
      isExact: assertions !== 'ignore',
    }))
  const words = read('throw') ?? read('apply') ?? read('ignore')
  known.set(pattern, words)
  return words
}

function attempt<Result>(make: (tools: Refa) => Result): Result | undefined {
  try {
    return make(loadRefa())
  } catch {
    // a back reference, an assertion that has no such automaton, or one that is too large
    return undefined
  }
}

function subtractWith({ DFA, NFA }: Refa, strings: NFA, others: NFA): NFA {
  const rest = DFA.fromFA(others, new DFA.LimitedNodeFactory(maxNodes))
  rest.complement(new DFA.LimitedNodeFactory(maxNodes))
  return NFA.fromIntersection(strings, rest, new NFA.LimitedNodeFactory(maxNodes))
}

function intersectWith({ NFA }: Refa, one: NFA, other: NFA): NFA {
  return NFA.fromIntersection(one, other, new NFA.LimitedNodeFactory(maxNodes))
}

type Elements = NoParent<Concatenation>['elements']
type Alternatives = readonly { readonly elements: Elements }[]

/** What becomes of assertions within a pattern: `apply` makes them part of what is beside them. */
type Assertions = 'throw' | 'apply' | 'ignore'

/**
 * Reads `^`, `$` and what looks ahead from the start of the string. Throws for what no automaton
 * expresses.
 */
function parsePattern(tools: Refa, pattern: string, assertions: Assertions): Words {
  const { JS, NFA, Transformers, combineTransformers, transform } = tools
  if (pattern === '') return { automaton: NFA.all({ maxCharacter: 0x10ffff }), range: anyLength }
  const parse = (source: string) =>
    JS.Parser.fromLiteral({ source, flags: 'u' }).parse({ maxNodes: 10 * maxRead })
  const { expression: written, maxCharacter } = parse(pattern)
  const apply = combineTransformers([
    Transformers.applyAssertions(),
    Transformers.removeDeadBranches(),
  ])
  const expression = assertions === 'apply' ? transform(apply, written) : written
  const anything = parse('[^]*').expression.alternatives.flatMap(({ elements }) => elements)
  return readAlternatives(expression.alternatives, false, true)

  /** The strings that one of some alternatives matches, from their start or somewhere. */
  function readAlternatives(
    alternatives: Alternatives,
    isAtStart: boolean,
    isOnly: boolean,
  ): Words {
    const [first, ...more] = alternatives.flatMap(({ elements }) => splitEdges(elements))
    if (first === undefined) return { automaton: NFA.empty({ maxCharacter }), range: anyLength }
    if (more.length === 0) return readAlternative(first, isAtStart, isOnly)
    const { automaton } = readAlternative(first, isAtStart, false)
    for (const elements of more)
      automaton.union(readAlternative(elements, isAtStart, false).automaton, createLimit())
    return { automaton, range: anyLength }
  }

  /** `isOnly`: the range may be beside the automaton, which has far fewer states then. */
  function readAlternative(elements: Elements, isAtStart: boolean, isOnly: boolean): Words {
    const [hasStart, hasEnd] = [isEdge(elements[0], 'behind'), isEdge(elements.at(-1), 'ahead')]
    const inner = elements.slice(hasStart ? 1 : 0, hasEnd ? -1 : undefined)
    const begins = isAtStart || hasStart
    const found = begins ? inner.findIndex((one) => !looksAhead(one)) : 0
    const count = found === -1 ? inner.length : found
    const [repeated, ...others] = inner.slice(count)
    const isCounted = isOnly && begins && hasEnd && others.length === 0 && isRun(repeated)
    const rest = isCounted ? [{ ...repeated, min: 0, max: Infinity }] : inner.slice(count)
    let automaton = readElements([
      ...(begins ? [] : anything),
      ...rest,
      ...(hasEnd ? [] : anything),
    ])
    let range = isCounted ? ([repeated.min, repeated.max] as const) : anyLength
    for (const { alternatives, negate } of inner.slice(0, count).filter(looksAhead)) {
      const ahead = readAlternatives(alternatives, true, isOnly && !negate)
      automaton = (negate ? subtractWith : intersectWith)(tools, automaton, ahead.automaton)
      range = meetRanges(range, ahead.range)
    }
    return { automaton, range }
  }

  function readElements(elements: Elements): NFA {
    const whole: NoParent<Concatenation> = { type: 'Concatenation', elements: [...elements] }
    const options = { assertions: assertions === 'ignore' ? assertions : 'throw' } as const
    return NFA.fromRegex(whole, { maxCharacter }, options, createLimit())
  }

  function createLimit() {
    return new NFA.LimitedNodeFactory(maxRead)
  }
}

const anyLength = [0, Infinity] as const

/** A character of a class, some times. */
function isRun(element: Elements[number] | undefined): element is NoParent<Quantifier> {
  if (element?.type !== 'Quantifier' || element.alternatives.length !== 1) return false
  const [one, ...more] = element.alternatives[0]?.elements ?? []
  return one?.type === 'CharacterClass' && more.length === 0
}

function looksAhead(element: Elements[number]): element is NoParent<Assertion> {
  return element.type === 'Assertion' && element.kind === 'ahead'
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
