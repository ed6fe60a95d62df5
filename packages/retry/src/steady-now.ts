let ahead = -Infinity

/**
 * Milliseconds since 1970 by a clock that never goes back: a wall clock that is set back does not
 * stop the count, and one that is set forward, or a sleep of the machine, moves it on.
 */
export function steadyNow(): number {
  const elapsed = performance.now()
  ahead = Math.max(ahead, Date.now() - elapsed)
  return Math.floor(elapsed + ahead)
}
