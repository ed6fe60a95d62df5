/** Chance that a seed repeats. */
export type Random = {
  /** From 0 up to, but not including, `end`. */
  readonly below: (end: number) => number
  /** True in `part` of all cases. */
  readonly happens: (part: number) => boolean
  readonly pick: <T>(values: readonly [T, ...(readonly T[])]) => T
  /** Another source, whose values do not depend on how many this one gives. */
  readonly fork: () => Random
}

/** Mulberry32, which is good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    happens: (part) => next() < part,
    pick: ([first, ...others]) => others[below(others.length + 1) - 1] ?? first,
    fork: () => createRandom(below(2 ** 32)),
  }
}
