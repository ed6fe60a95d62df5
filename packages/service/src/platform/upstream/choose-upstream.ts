/** What the choice depends on. */
export type Candidate = {
  readonly weight: number
  /** Milliseconds until it may be asked. */
  readonly waitMs: number
  /** How often this request was sent to it. */
  readonly asked: number
}

/** Index of the upstream to ask, or milliseconds until there is one. Infinity: never. */
export type Choice = { readonly index: number } | { readonly waitMs: number }

/**
 * One of those that were asked the least, and can be asked now, by their weights. Those of weight 0
 * are asked when no other can be. `random` is from 0 to 1, without 1.
 */
export function chooseUpstream(candidates: readonly Candidate[], random: () => number): Choice {
  const ready = candidates.flatMap((candidate, index) =>
    candidate.waitMs <= 0 ? [{ ...candidate, index }] : [],
  )
  if (ready.length === 0)
    return { waitMs: Math.min(Infinity, ...candidates.map(({ waitMs }) => waitMs)) }
  const least = Math.min(...ready.map(({ asked }) => asked))
  const fresh = ready.filter(({ asked }) => asked === least)
  const weighty = fresh.filter(({ weight }) => weight > 0)
  if (weighty.length === 0) return { index: fresh[Math.floor(random() * fresh.length)]?.index ?? 0 }
  let left = random() * weighty.reduce((sum, { weight }) => sum + weight, 0)
  const chosen = weighty.find(({ weight }) => (left -= weight) < 0) ?? weighty.at(-1)
  return { index: chosen?.index ?? 0 }
}
