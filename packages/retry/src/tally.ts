/** Counts by the slot of time in which they were made: `[slot, requests, tokens]`. */
export type Tally = [slot: number, requests: number, tokens: number][]

/** Counts so many requests and tokens more (or, below zero, fewer) in a slot; what is empty is left out. */
export function add(tally: Tally, slot: number, requests: number, tokens: number): void {
  const index = tally.findLastIndex((one) => one[0] === slot)
  const one = tally[index]
  if (one === undefined) {
    if (requests > 0) tally.push([slot, requests, tokens])
    return
  }
  one[1] += requests
  one[2] += tokens
  if (one[1] <= 0) tally.splice(index, 1)
}

/** Without what was counted before a slot. */
export function since(tally: Tally, slot: number): Tally {
  return tally.some((one) => one[0] < slot) ? tally.filter((one) => one[0] >= slot) : tally
}

/** How many requests (1) or tokens (2) there are. */
export function sum(tally: Tally, what: 1 | 2): number {
  return tally.reduce((all, one) => all + one[what], 0)
}
