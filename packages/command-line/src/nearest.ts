/**
 * The known name that an unknown one was probably meant to be: at most two letters differ, fewer in
 * a short name. Undefined if none is near.
 */
export function nearest(key: string, knownNames: Iterable<string>): string | undefined {
  const most = key.length < 4 ? 0 : key.length < 6 ? 1 : 2
  let best: string | undefined
  let least = most + 1
  for (const name of knownNames) {
    const distance =
      Math.abs(name.length - key.length) > most
        ? least
        : editDistance(key.toLowerCase(), name.toLowerCase())
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/** How many letters are added, left out, replaced or swapped (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? Infinity) + 1 : Infinity
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (same ? 0 : 1),
          swapped,
        ),
      )
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
