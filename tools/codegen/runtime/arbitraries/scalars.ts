import * as fc from 'fast-check'
import type { Format } from './formats.js'
import type { NumberNode, StringNode } from './node.js'

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

/** Texts within the bounds; those that break another rule are sorted out later. */
export function texts(node: StringNode, format?: Format): fc.Arbitrary<string> {
  const { minLength = 0, maxLength, examples = [] } = node
  const longest = Math.min(maxLength ?? Infinity, minLength + 24)
  const plain = fc.string({ unit: character, minLength, maxLength: longest })
  const made = format?.valid ?? matching(node.pattern, minLength, longest)
  const given = examples.length > 0 ? [fc.constantFrom(...examples)] : []
  return fc.oneof(
    ...(made === undefined && node.pattern === undefined ? [plain] : []),
    ...(made === undefined ? [] : [made]),
    ...given,
  )
}

/** Texts that break one rule. */
export function wrongTexts(
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
export function numbers(node: NumberNode): fc.Arbitrary<number> {
  const low = Math.max(node.minimum ?? -Infinity, node.exclusiveMinimum ?? -Infinity)
  const high = Math.min(node.maximum ?? Infinity, node.exclusiveMaximum ?? Infinity)
  const step = node.multipleOf ?? (node.integer ? 1 : undefined)
  if (step === undefined)
    return fc
      .double({ ...span(low, high, 1), noNaN: true, noDefaultInfinity: true })
      .map((value) => value + 0)
  const { min, max } = span(Math.ceil(low / step), Math.floor(high / step), 1000)
  const least = Math.max(min, Number.MIN_SAFE_INTEGER)
  return fc
    .integer({ min: least, max: Math.max(least, Math.min(max, Number.MAX_SAFE_INTEGER)) })
    .map((count) => Number((count * step).toPrecision(15)) + 0)
}

/** Numbers that break one rule. */
export function wrongNumbers(node: NumberNode): readonly fc.Arbitrary<unknown>[] {
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
function span(
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

const ending = fc.stringMatching(/^[a-z0-9]*$/)

/** By pattern: fast-check lists all letters of a class such as `\p{L}` for each arbitrary. */
const known = new Map<string, fc.Arbitrary<string> | undefined>()

/** No text can be generated from some patterns; then the examples of the document are used. */
function textsOf(pattern: string): fc.Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'))
  } catch {
    return undefined
  }
}

function matching(
  pattern: string | undefined,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<string> | undefined {
  if (pattern === undefined) return undefined
  if (!known.has(pattern)) known.set(pattern, textsOf(pattern))
  const found = known.get(pattern)
  if (found === undefined || /\$\)?$/.test(pattern)) return found
  const rest = ending.map((text) => text.slice(0, Math.max(0, Math.min(maxLength, minLength + 24))))
  return fc.oneof(
    found,
    fc.tuple(found, rest).map(([head, tail]) => head + tail),
  )
}
