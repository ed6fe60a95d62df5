import { it } from 'vitest'

/** Whether this run is the deep suite's, or of somebody who has the time. */
export const isWhole = process.env['RUNS'] === 'all'

/** Registers a test that only the deep suite runs, beside those that each commit runs. */
export const deepTest: (name: string, run: () => void | Promise<void>) => void = isWhole
  ? it
  : () => undefined

/**
 * How many rounds a test plays of those that it has: a fifth on each commit, all of them in the
 * deep suite (`RUNS=all`), and exactly so many with `RUNS=100000`.
 */
export function countRounds(whole: number): number {
  const runs = process.env['RUNS']
  if (isWhole) return whole
  return runs === undefined ? Math.ceil(whole / 5) : Number(runs)
}

/**
 * A fifth of the cases of a table, at least one, each commit another one (`SHUFFLE` comes from its
 * hash), and all of them in the deep suite.
 */
export function sampleCases<T>(cases: readonly T[]): readonly T[] {
  if (process.env['RUNS'] !== undefined) return cases
  const every = Math.min(5, cases.length)
  const first = Number(process.env['SHUFFLE'] ?? 0) % every
  return cases.filter((_, index) => index % every === first)
}
