/**
 * The candidate nearest to a mistyped word, if at most a third of the letters differ.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .sort((one, other) => one.distance - other.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined
}

/** The edit distance: how many letters must be inserted, removed or replaced. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const change = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)
      next.push(Math.min(change, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
