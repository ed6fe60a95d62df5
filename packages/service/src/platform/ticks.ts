/** Milliseconds that never go back, for durations. The time of day is `Date.now`. */
export function ticks(): number {
  return performance.now()
}
