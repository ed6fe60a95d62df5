import * as z from './zod.js'

type Bounds = {
  readonly gte?: number
  readonly gt?: number
  readonly lte?: number
  readonly lt?: number
  readonly multipleOf?: number
  /** Also what needs more than 64 bits, as formats say nothing. */
  readonly any?: true
}

/** A whole number of 64 bits, within bounds. */
/* @__NO_SIDE_EFFECTS__ */
export function int64({ gte, gt, lte, lt, multipleOf = 1, any }: Bounds = {}): z.ZodType<
  bigint,
  bigint
> {
  const rules: readonly (readonly [holds: (value: bigint) => boolean, expected: string])[] = [
    [(value) => any === true || BigInt.asIntN(64, value) === value, 'int64'],
    [(value) => gte === undefined || value >= gte, `at least ${gte}`],
    [(value) => gt === undefined || value > gt, `more than ${gt}`],
    [(value) => lte === undefined || value <= lte, `at most ${lte}`],
    [(value) => lt === undefined || value < lt, `less than ${lt}`],
    [(value) => value % BigInt(multipleOf) === 0n, `a multiple of ${multipleOf}`],
  ]
  return z.unknown().check(({ value, issues }) => {
    const found =
      typeof value === 'bigint'
        ? rules.filter(([holds]) => !holds(value))
        : [[undefined, 'a bigint'] as const]
    for (const [, expected] of found)
      issues.push({ code: 'custom', message: `Invalid bigint: expected ${expected}`, input: value })
  }) as unknown as z.ZodType<bigint, bigint>
}
