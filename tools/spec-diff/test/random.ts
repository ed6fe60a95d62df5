/** Chances that come again with the same seed. */
export type Random = {
  /** A whole number from 0 up to, and without, `count`. */
  readonly below: (count: number) => number
  readonly oneOf: <T>(items: readonly T[]) => T
  readonly chance: (share: number) => boolean
  /** Those of some items that chance picks, in their order. */
  readonly some: <T>(items: readonly T[], share?: number) => readonly T[]
}

/** mulberry32: 32 bits of state, good enough to draw schemas with. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    oneOf: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('There is nothing to choose from')
      return item
    },
    chance: (share) => next() < share,
    some: (items, share = 0.5) => items.filter(() => next() < share),
  }
}
