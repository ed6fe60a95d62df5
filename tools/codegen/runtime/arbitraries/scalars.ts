import * as fc from 'fast-check'
import type { Format } from './formats.js'
import type { NumberNode, StringNode } from './node.js'
import { makeMatchingStrings } from './patterns.js'

/** Values of any kind, empty ones included. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, '', 'a'),
  fc.constant(0).map(() => []),
  fc.constant(0).map(() => ({})),
  fc.integer({ min: -9, max: 9 }),
  fc.stringMatching(/^[a-z]{1,5}$/),
)

/**
 * Makes what fast-check's unit `binary` makes, without its list of all characters, which takes 100
 * MB and most of a second.
 */
export const character: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - 0x800 }).map(
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800),
  (text) => {
    const code =
      typeof text === 'string' && /^\P{Cs}$/u.test(text)
        ? (text.codePointAt(0) ?? Number.NaN)
        : Number.NaN
    return code < 0xd800 ? code : code - 0x800
  },
)

/**
 * Texts by pattern or format within the bounds. Undefined where none is found, and the document has
 * no example.
 */
export function makeStrings(node: StringNode, format?: Format): fc.Arbitrary<string> | undefined {
  const { minLength = 0, maxLength, pattern, examples = [] } = node
  const longest = Math.min(maxLength ?? Infinity, minLength + 24)
  if (pattern === undefined && format === undefined)
    return fc.oneof(
      fc.string({ unit: character, minLength, maxLength: Math.max(minLength, longest) }),
    )
  const source = pattern ?? format?.pattern
  const made =
    source === undefined ? undefined : makeMatchingStrings(source, minLength, maxLength ?? Infinity)
  const fits = createStringCheck(node, format)
  // a repeated group can take exponential time to reject a long text that was not made for it
  const isCostly = pattern !== undefined && /\)[*+{]/.test(pattern)
  const isPossible = (source: fc.Arbitrary<string>) =>
    [8, 400].some((numRuns) => fc.sample(source, { numRuns, seed: 1 }).some(fits))
  const all: fc.Arbitrary<string>[] = []
  if (format === undefined) {
    if (made !== undefined) all.push(made)
  } else if (pattern === undefined && minLength === 0 && maxLength === undefined)
    all.push(format.valid)
  // what is made for the pattern has the shape of the format, and may still not be of it
  else if (!isCostly && isPossible(format.valid)) all.push(format.valid.filter(fits))
  else if (made !== undefined && isPossible(made)) all.push(made.filter(fits))
  const short = format && isCostly ? fc.sample(format.valid, { numRuns: 400, seed: 1 }) : []
  const given = [...examples, ...short].filter(
    (text) => (!isCostly || text.length <= 16) && fits(text),
  )
  if (given.length > 0) all.push(fc.constantFrom(...given))
  return all.length === 0 ? undefined : fc.oneof(...all)
}

function createStringCheck(
  { minLength = 0, maxLength = Infinity, pattern }: StringNode,
  format: Format | undefined,
): (text: string) => boolean {
  const regExp = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (text) => {
    const { length } = Array.from(text)
    return (
      length >= minLength &&
      length <= maxLength &&
      (regExp?.test(text) ?? true) &&
      (format?.shape.test(text) ?? true)
    )
  }
}

/** Texts that break one rule. */
export function makeWrongStrings(
  { minLength = 0, maxLength, pattern }: StringNode,
  format?: Format,
): readonly fc.Arbitrary<unknown>[] {
  const wrong = format?.wrong ?? []
  return [
    fc.constantFrom<unknown>(1, null, true),
    ...(minLength > 0 ? [fc.string({ unit: character, maxLength: minLength - 1 })] : []),
    ...(maxLength !== undefined && maxLength < 1_000_000
      ? [fc.constant('x'.repeat(maxLength + 1))]
      : []),
    ...(wrong.length > 0 ? [fc.constantFrom(...wrong)] : []),
    ...(pattern === undefined
      ? []
      : [fc.string({ minLength, maxLength: Math.min(maxLength ?? Infinity, minLength + 8) })]),
  ]
}

/** Numbers within the bounds. */
export function makeNumbers(node: NumberNode): fc.Arbitrary<number> {
  const low = Math.max(node.minimum ?? -Infinity, node.exclusiveMinimum ?? -Infinity)
  const high = Math.min(node.maximum ?? Infinity, node.exclusiveMaximum ?? Infinity)
  const step = node.multipleOf ?? (node.integer ? 1 : undefined)
  if (step === undefined)
    return fc
      .double({ ...closeRange(low, high, 1), noNaN: true, noDefaultInfinity: true })
      .map((value) => value + 0)
  const { min, max } = closeRange(Math.ceil(low / step), Math.floor(high / step), 1000)
  const least = Math.max(min, Number.MIN_SAFE_INTEGER)
  return fc
    .integer({ min: least, max: Math.max(least, Math.min(max, Number.MAX_SAFE_INTEGER)) })
    .map((count) => Number((count * step).toPrecision(15)) + 0)
}

/** Numbers that break one rule. */
export function makeWrongNumbers(node: NumberNode): readonly fc.Arbitrary<unknown>[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node
  const near = [
    ...(minimum === undefined ? [] : [minimum - 1, minimum - 0.5]),
    ...(maximum === undefined ? [] : [maximum + 1, maximum + 0.5]),
    ...[exclusiveMinimum, exclusiveMaximum].filter((bound) => bound !== undefined),
    ...(multipleOf === undefined ? [] : [multipleOf / 2, multipleOf * 1.5]),
    ...(node.integer ? [0.5, (minimum ?? 0) + 0.5] : []),
  ]
  return [
    fc.constantFrom<unknown>('1', null, true),
    ...(near.length > 0 ? [fc.constantFrom(...near)] : []),
  ]
}

/** An open side becomes a range next to the other bound. */
function closeRange(
  low: number,
  high: number,
  least: number,
): { readonly min: number; readonly max: number } {
  const reach = Math.max(least, 1_000_000)
  const min = Number.isFinite(low)
    ? low
    : Number.isFinite(high)
      ? Math.min(high, 0) - reach
      : -reach
  const max = Number.isFinite(high) ? high : Math.max(min, 0) + reach
  return { min, max }
}
