/** Counts by the slot of time in which they were made, in no order: `[slot, requests, tokens]`. */
export type Tally = readonly (readonly [slot: number, requests: number, tokens: number])[]

/** A tally with so many requests and tokens more (or, below zero, fewer) in a slot; what is empty is left out. */
export function add(tally: Tally, slot: number, requests: number, tokens: number): Tally {
  const [, had = 0, hadTokens = 0] = tally.find(([one]) => one === slot) ?? []
  const others = tally.filter(([one]) => one !== slot)
  return had + requests > 0 ? [...others, [slot, had + requests, hadTokens + tokens]] : others
}

/** Without what was counted before a slot. */
export function since(tally: Tally, slot: number): Tally {
  return tally.filter(([one]) => one >= slot)
}

/** How many requests (1) or tokens (2) there are. */
export function sum(tally: Tally, what: 1 | 2): number {
  return tally.reduce((all, one) => all + one[what], 0)
}
