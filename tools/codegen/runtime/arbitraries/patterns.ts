import * as fc from 'fast-check'
import { parsePattern, type Tree } from './pattern-tree.js'

/**
 * Texts that match a pattern and have a length within bounds, in code points, made from the syntax
 * of the pattern. Undefined where none is found.
 */
export function makeMatchingStrings(
  pattern: string,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<string> | undefined {
  const key = `${minLength} ${maxLength} ${pattern}`
  if (!known.has(key)) known.set(key, buildArbitrary(pattern, minLength, maxLength))
  return known.get(key)
}

const known = new Map<string, fc.Arbitrary<string> | undefined>()

/** How many lengths above the least are used. */
const spread = 24
/** How often a string is made before one that does not match is given. */
const tries = 60

function buildArbitrary(
  pattern: string,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<string> | undefined {
  try {
    const regExp = new RegExp(pattern, 'u')
    const tree = padTree(parsePattern(pattern))
    const longest = Math.min(maxLength, Math.max(minLength, findMinLength(tree)) + spread)
    const maker = createStringMaker(longest)
    const lengths = listBits(maker.lengths(tree)).filter((length) => length >= minLength)
    if (lengths.length === 0) return undefined
    const fits = (text: string): boolean => {
      const { length } = Array.from(text)
      return length >= minLength && length <= maxLength && regExp.test(text)
    }
    const draw = (length: number, seed: number): string => {
      const random = createRandom(seed)
      let text = maker.text(tree, length, random)
      for (let index = 1; index < tries && !fits(text); index++)
        text = maker.text(tree, length, random)
      return text
    }
    const isPossible = Array.from({ length: 20 }, (_, seed) => seed).some((seed) =>
      fits(draw(lengths[seed % lengths.length] ?? 0, seed)),
    )
    return isPossible
      ? fc.tuple(fc.constantFrom(...lengths), fc.nat()).map((choice) => draw(...choice))
      : undefined
  } catch {
    return undefined
  }
}

/** Where a pattern is not anchored, other characters may stand around its text. */
function padTree(tree: Tree): Tree {
  if (tree.kind === 'either') return { kind: 'either', options: tree.options.map(padTree) }
  return {
    kind: 'all',
    parts: [
      ...(isAnchored(tree, 'start') ? [] : [padding]),
      tree,
      ...(isAnchored(tree, 'end') ? [] : [padding]),
    ],
  }
}

const padding: Tree = {
  kind: 'repeat',
  of: { kind: 'set', source: '[a-z0-9 -]' },
  min: 0,
  max: Infinity,
}

function isAnchored(tree: Tree, edge: 'start' | 'end'): boolean {
  if (tree.kind === 'edge') return tree.at === edge
  if (tree.kind === 'group') return isAnchored(tree.of, edge)
  if (tree.kind === 'either') return tree.options.every((option) => isAnchored(option, edge))
  if (tree.kind !== 'all') return false
  const parts = edge === 'start' ? tree.parts : [...tree.parts].reverse()
  for (const part of parts) {
    if (isAnchored(part, edge)) return true
    if (part.kind !== 'edge' && part.kind !== 'ahead' && part.kind !== 'behind') return false
  }
  return false
}

function findMinLength(tree: Tree): number {
  switch (tree.kind) {
    case 'set':
      return 1
    case 'all':
      return tree.parts.reduce((sum, part) => sum + findMinLength(part), 0)
    case 'either':
      return Math.min(...tree.options.map(findMinLength))
    case 'repeat':
      return tree.min === 0 ? 0 : tree.min * findMinLength(tree.of)
    case 'group':
      return findMinLength(tree.of)
    case 'same':
    case 'ahead':
    case 'behind':
    case 'edge':
      break
  }
  return 0
}

/** Lengths as the bits of a number: the bit n is set if a string of n characters can be made. */
type Lengths = bigint

type TextMaker = {
  readonly lengths: (tree: Tree) => Lengths
  readonly text: (tree: Tree, length: number, random: Random) => string
}

/** Makes texts of a length. Whatever is chosen on the way leaves a length that can be reached. */
function createStringMaker(longest: number): TextMaker {
  const all = (1n << BigInt(longest + 1)) - 1n
  const found = new Map<Tree, Lengths>()
  const rests = new Map<Tree, readonly Lengths[]>()

  const lengths = (tree: Tree): Lengths => {
    const known = found.get(tree) ?? findLengths(tree) & all
    found.set(tree, known)
    return known
  }
  const findLengths = (tree: Tree): Lengths => {
    switch (tree.kind) {
      case 'set':
        return 2n
      case 'all':
        return readRests(tree)[0] ?? 1n
      case 'either':
        return tree.options.reduce((sum, option) => sum | lengths(option), 0n)
      case 'repeat':
        return readRests(tree).reduce(
          (sum, some, count) => (count >= tree.min ? sum | some : sum),
          0n,
        )
      case 'group':
        return lengths(tree.of)
      case 'behind':
        return 1n | lengths(tree.of)
      case 'same':
      case 'ahead':
      case 'edge':
        break
    }
    return 1n
  }
  /** What the parts from one on can have, or so many repetitions. */
  const readRests = (tree: Tree): readonly Lengths[] => {
    const known = rests.get(tree) ?? findRests(tree)
    rests.set(tree, known)
    return known
  }
  const findRests = (tree: Tree): readonly Lengths[] => {
    if (tree.kind === 'all')
      return tree.parts.reduceRight<Lengths[]>(
        (list, part) => [sum(lengths(part), list[0] ?? 1n), ...list],
        [1n],
      )
    if (tree.kind !== 'repeat') return []
    const one = lengths(tree.of)
    if (tree.of.kind === 'set')
      return Array.from(
        { length: Math.min(tree.max, longest) + 1 },
        (_, count) => 1n << BigInt(count),
      )
    const list: Lengths[] = [1n]
    const most = Math.min(tree.max, tree.min + longest)
    for (let last = 1n; list.length <= most && last !== 0n; list.push(last)) last = sum(one, last)
    return list
  }
  const sum = (one: Lengths, other: Lengths): Lengths =>
    listBits(one).reduce((total, bit) => total | (other << BigInt(bit)), 0n) & all

  /** Writes characters, and remembers what must follow where. */
  const write = (tree: Tree, length: number, state: State): void => {
    const { out, random, groups } = state
    switch (tree.kind) {
      case 'set':
        out.push(drawCharacter(tree.source, random))
        return
      case 'all': {
        let left = length
        for (const [index, part] of tree.parts.entries()) {
          const rest = readRests(tree)[index + 1] ?? 1n
          const options = listBits(lengths(part)).filter(
            (bit) => bit <= left && has(rest, left - bit),
          )
          // most texts have nothing around the match
          const own = part === padding && random() < 0.5 ? (options[0] ?? 0) : pick(options, random)
          write(part, own ?? 0, state)
          left -= own ?? 0
        }
        return
      }
      case 'either': {
        const option = pick(
          tree.options.filter((one) => has(lengths(one), length)),
          random,
        )
        if (option !== undefined) write(option, length, state)
        return
      }
      case 'repeat': {
        if (tree.of.kind === 'set') {
          for (let count = length; count > 0; count--) write(tree.of, 1, state)
          return
        }
        const list = readRests(tree)
        const counts = [...list.keys()].filter(
          (count) => count >= tree.min && has(list[count] ?? 0n, length),
        )
        let left = length
        for (let count = pick(counts, random) ?? 0; count > 0; count--) {
          const rest = list[count - 1] ?? 1n
          const options = listBits(lengths(tree.of)).filter(
            (bit) => bit <= left && has(rest, left - bit),
          )
          const own = pick(options, random) ?? 0
          write(tree.of, own, state)
          left -= own
        }
        return
      }
      case 'group': {
        const start = out.length
        write(tree.of, length, state)
        for (const name of tree.names) groups.set(name, out.slice(start))
        return
      }
      case 'same':
        out.push(...(groups.get(tree.name) ?? []))
        return
      case 'ahead':
        if (random() < 0.8) state.later.push({ at: out.length, tree: tree.of })
        return
      case 'behind':
        if (length > 0) write(tree.of, length, state)
        return
      case 'edge':
    }
  }
  const text = (tree: Tree, length: number, random: Random): string => {
    const state: State = { out: [], random, groups: new Map(), later: [] }
    write(tree, length, state)
    const { out, later } = state
    // what a lookahead wants is laid over what follows
    for (const { at, tree: wanted } of later) {
      const fitting = listBits(lengths(wanted)).filter((bit) => at + bit <= longest)
      const shorter = fitting.filter((bit) => at + bit <= out.length)
      const own = pick(shorter.length > 0 ? shorter : fitting, random)
      if (own === undefined) continue
      const laid = Array.from(text(wanted, own, random))
      out.splice(at, laid.length, ...laid)
    }
    return out.join('')
  }
  return { lengths, text }
}

type State = {
  readonly out: string[]
  readonly random: Random
  readonly groups: Map<string, readonly string[]>
  readonly later: { readonly at: number; readonly tree: Tree }[]
}

function listBits(lengths: Lengths): readonly number[] {
  const digits = lengths.toString(2)
  return Array.from(digits, (_, index) => index).filter(
    (index) => digits[digits.length - 1 - index] === '1',
  )
}

function has(lengths: Lengths, length: number): boolean {
  return ((lengths >> BigInt(length)) & 1n) === 1n
}

/** A number from 0 to below 1. */
type Random = () => number

/** The generator Mulberry32. */
function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[Math.floor(random() * items.length)]
}

/** Characters of a class by their kinds, and rare ones. */
type Characters = {
  readonly usual: readonly (readonly string[])[]
  readonly rare: readonly string[]
}

/** Each kind of character is as frequent as the others. */
function drawCharacter(source: string, random: Random): string {
  const { usual, rare } = sets.get(source) ?? findCharacters(source)
  const isRare = usual.length === 0 || (rare.length > 0 && random() < 0.03)
  return pick(isRare ? rare : (pick(usual, random) ?? []), random) ?? ''
}

const sets = new Map<string, Characters>()

/** Digits, letters and other signs of ASCII, and the first others. */
function findCharacters(source: string): Characters {
  const regExp = new RegExp(`^${source}$`, 'u')
  const listMatches = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, index) => from + index)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((one) => regExp.test(one))
  const ascii = listMatches(32, 127)
  const usual = [/\d/, /[a-z]/, /[A-Z]/, /[^\da-zA-Z]/]
    .map((kind) => ascii.filter((one) => kind.test(one)))
    .filter((kind) => kind.length > 0)
  let rare = listMatches(161, 0x250)
  for (const [from, to] of others)
    if (usual.length === 0 && rare.length === 0) rare = listMatches(from, to)
  const found = { usual, rare }
  sets.set(source, found)
  return found
}

const others = [
  [0, 32],
  [0x250, 0x3100],
  [0x3100, 0x110000],
] as const
