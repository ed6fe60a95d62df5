import type { Json, Of } from '@farebox/codegen/model'
import type { Goal, Solution } from './goal.js'
import { includesString, isAsserted } from '../values/includes-kinds.js'
import { findFormatRules } from '../values/formats.js'
import { listStrings } from '../values/languages.js'

/** Whether a value meets the goal, formats and listed values included. */
type Meets = (value: Json) => boolean

/**
 * Between two neighbours among the bounds and the listed numbers, all integers are alike, and
 * all others are. So a few numbers decide, but for multiples.
 */
export function findNumber(goal: Goal, meets: Meets): Solution {
  const nodes = listNodes(goal, 'number')
  const bounds = [
    ...nodes.flatMap(({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, format }) => [
      minimum,
      maximum,
      exclusiveMinimum,
      exclusiveMaximum,
      ...(isAsserted('number', format) ? edgesOfFormats : []),
    ]),
    ...listExcluded(goal, 'number'),
    0,
  ].filter((bound) => bound !== undefined)
  const edges = [...new Set(bounds)].toSorted((one, other) => one - other)
  const steps = [
    1,
    ...nodes.flatMap(({ multipleOf }) => (multipleOf === undefined ? [] : [multipleOf])),
  ]
  const product = steps.reduce((all, step) => all * step, 1)
  const tried = edges.flatMap((edge, at) => {
    const next = edges[at + 1] ?? edge + 4 * Math.max(product, ...steps)
    const before = [Math.floor(edge) - 1, Math.floor(edge) - 0.5, edge - product]
    return [
      ...(at === 0 ? before : []),
      edge,
      (edge + next) / 2,
      edge + (next - edge) / 3,
      // at least one of them is not whole, however far away the next bound is
      edge + 0.25,
      edge + 0.5,
      ...[...steps, product].flatMap((step) => {
        const first = Math.floor(edge / step) * step + step
        return [first, first + step, first + 2 * step]
      }),
    ]
  })
  const [lowest = 0, highest = 0] = [edges[0], edges.at(-1)]
  tried.push(2 * Math.min(lowest, 0), 2 * Math.max(highest, 0))
  const value = [1, 0, ...tried].find(meets)
  if (value !== undefined) return { value }
  if (nodes.every(({ multipleOf }) => multipleOf === undefined)) return 'none'
  const multiples = listMultiples(listNodes({ ...goal, none: [] }, 'number'))
  const multiple = multiples?.find(meets)
  if (multiple !== undefined) return { value: multiple }
  return multiples === undefined ? 'unknown' : 'none'
}

/** More multiples are not tried. */
const mostMultiples = 1000

/** All multiples of an integer that are within bounds. Undefined if there are too many. */
function listMultiples(nodes: readonly Of<'number'>[]): readonly number[] | undefined {
  const lowest = Math.max(
    ...nodes.map((one) => Math.max(one.minimum ?? -Infinity, one.exclusiveMinimum ?? -Infinity)),
  )
  const highest = Math.min(
    ...nodes.map((one) => Math.min(one.maximum ?? Infinity, one.exclusiveMaximum ?? Infinity)),
  )
  const steps = nodes.map(({ multipleOf = NaN }) => multipleOf)
  const step = Math.max(...steps.filter(Number.isInteger))
  if (step === -Infinity) return undefined
  const [first, last] = [Math.ceil(lowest / step), Math.floor(highest / step)]
  if (!(last - first < mostMultiples) || Math.abs(first) > 2 ** 40) return undefined
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step)
}

const edgesOfFormats = [-(2 ** 31), 2 ** 31 - 1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

/** Longer strings are not tried. */
const longest = 2000

/** A string of each length that differs in a bound, or strings of the languages of the patterns. */
export function findText(goal: Goal, meets: Meets): Solution {
  const [accepting, all] = [listNodes({ ...goal, none: [] }, 'string'), listNodes(goal, 'string')]
  const rejecting = listNodes({ ...goal, all: [] }, 'string')
  const excluded = listExcluded(goal, 'string')
  const formats = new Set(
    accepting.map(({ format }) => format).filter((format) => isAsserted('string', format)),
  )
  if (rejecting.some((whole) => accepting.some((part) => includesString(part, whole))))
    return 'none'
  const bounds = all.flatMap(({ minLength = 0, maxLength = 0 }) => [minLength, maxLength])
  const examples = formats.size > 0 ? [...ofFormats, ...listLongOfFormats(bounds)] : []
  const example = examples.find(meets)
  if (example !== undefined) return { value: example }
  // a string may break only the format, and still have the length and the pattern
  const isOpen = rejecting.some(
    ({ format }) => isAsserted('string', format) && !formats.has(format),
  )
  const known = accepting.flatMap(({ format }) => findFormatRules(format) ?? [])
  if (known.length > 0 || all.some(({ pattern }) => pattern !== undefined)) {
    const literals = excluded.map((one) => one.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    const others = literals.length === 0 ? [] : [{ pattern: `^(?:${literals.join('|')})$` }]
    const strings = listStrings([...accepting, ...known], [...rejecting, ...others])
    const value = strings?.find(meets)
    if (value !== undefined) return { value }
    return !isOpen && strings?.length === 0 ? 'none' : 'unknown'
  }
  const lengths = new Set([0, ...bounds].flatMap((length) => [length, length + 1]))
  const letters = Array.from({ length: excluded.length + 1 }, (_, at) =>
    String.fromCodePoint(97 + at),
  )
  const tried = [...lengths]
    .filter((length) => length <= longest)
    .flatMap((length) => letters.map((letter) => letter.repeat(length)))
  const value = tried.find(meets)
  if (value !== undefined) return { value }
  const isTried = [...lengths].every((length) => length <= longest)
  return !isOpen && isTried && formats.size === 0 ? 'none' : 'unknown'
}

/** The schemas of a kind that a value must or must not satisfy. */
function listNodes<Kind extends 'number' | 'string'>(
  { all, none }: Goal,
  kind: Kind,
): readonly Of<Kind>[] {
  return [...all, ...none].flatMap(({ schema }) =>
    schema.kind === kind ? [schema as Of<Kind>] : [],
  )
}

function listExcluded(goal: Goal, type: 'number'): readonly number[]
function listExcluded(goal: Goal, type: 'string'): readonly string[]
function listExcluded({ none }: Goal, type: string): readonly Json[] {
  return none.flatMap(({ schema }) =>
    schema.kind === 'enum' ? schema.values.filter((value) => typeof value === type) : [],
  )
}

/** One string of each format that validators check. */
export const ofFormats: readonly string[] = [
  '2026-01-31T12:00:00Z',
  '2026-01-31',
  '12:00:00Z',
  'P1D',
  'ada@example.com',
  'example.com',
  '192.0.2.1',
  '2001:db8::1',
  'https://example.com/a',
  '/a/b',
  '123e4567-e89b-42d3-a456-426614174000',
  'YQ==',
]

/** What a format whose strings may be long ends in. */
const ends = ['@example.com', '.example.com']
/** What it begins with. */
const starts = ['https://example.com/', '/']

/** Strings of formats, around each bound of length. */
function listLongOfFormats(bounds: readonly number[]): readonly string[] {
  const lengths = new Set(bounds.flatMap((bound) => [bound, bound + 1]))
  const pad = (length: number, text: string) => 'a.'.repeat(length).slice(0, length - text.length)
  return [...lengths]
    .filter((length) => length > 20 && length <= longest)
    .flatMap((length) => [
      ...starts.map((start) => `${start}${pad(length, start)}`),
      // neither ends in two dots
      ...ends.map((end) => `${pad(length, end).replace(/\.$/, 'a')}${end}`),
    ])
}
