/** Counts by the slot of time in which they were made: `[slot, requests, tokens]`, the earliest first. */
export type Tally = readonly (readonly [slot: number, requests: number, tokens: number])[]

/** A tally with so many requests and tokens more (or, below zero, fewer) in a slot; what is empty is left out. */
export function add(tally: Tally, slot: number, requests: number, tokens: number): Tally {
  const last = tally.at(-1)
  // nearly always the slot of now
  if (last === undefined || last[0] < slot) return requests > 0 ? [...tally, [slot, requests, tokens]] : tally
  if (last[0] === slot && last[1] + requests > 0) return [...tally.slice(0, -1), [slot, last[1] + requests, last[2] + tokens]]
  const found = tally.find(([one]) => one === slot)
  const rest = found === undefined ? tally : tally.filter((one) => one !== found)
  const left = (found?.[1] ?? 0) + requests
  return left <= 0 ? rest : [...rest, [slot, left, (found?.[2] ?? 0) + tokens] as const].toSorted(([one], [other]) => one - other)
}

/** Without what was counted before a slot. */
export function since(tally: Tally, slot: number): Tally {
  return tally.length > 0 && (tally[0]?.[0] ?? 0) < slot ? tally.filter(([one]) => one >= slot) : tally
}

export function requestsIn(tally: Tally): number {
  let sum = 0
  for (const [, requests] of tally) sum += requests
  return sum
}

export function tokensIn(tally: Tally): number {
  let sum = 0
  for (const [, , tokens] of tally) sum += tokens
  return sum
}
