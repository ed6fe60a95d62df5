import type { Count, LimitStore } from './limit-store.js'
import { firstCounted, countRequests, toSecond, type SlidingWindow } from './sliding-window.js'

/** Counts in this process. A restart clears the counts. */
export function createMemoryLimits(): LimitStore {
  const windows = new Map<string, SlidingWindow>()
  const failures = new Map<string, number[]>()
  const blocks = new Map<string, number>()

  const findBlock = (parties: readonly string[]) =>
    Math.max(0, ...parties.map((party) => blocks.get(party) ?? 0))
  const readRecent = (key: string, now: number): SlidingWindow => {
    const first = firstCounted(now)
    return (windows.get(key) ?? []).filter(([second]) => second >= first)
  }
  const toCount = (parties: readonly string[], admitted: boolean, recent: SlidingWindow): Count => {
    const blockedUntil = findBlock(parties)
    return { admitted, recent, ...(blockedUntil > 0 && { blockedUntil }) }
  }

  return {
    count: async ({ caller, rateClass, parties = [caller] }, limit, now, amount = 1) => {
      const key = `${rateClass} ${caller}`
      const recent = readRecent(key, now)
      if (findBlock(parties) > now || countRequests(recent) + amount > limit)
        return toCount(parties, false, recent)
      if (windows.size > 10_000 && !windows.has(key))
        purge(windows, (window) => (window.at(-1)?.[0] ?? 0) < firstCounted(now))
      const counted = withMore(recent, toSecond(now), amount)
      windows.set(key, counted)
      return toCount(parties, true, counted)
    },

    read: async ({ caller, rateClass, parties = [caller] }, now) =>
      toCount(parties, false, readRecent(`${rateClass} ${caller}`, now)),

    adjust: async ({ caller, rateClass }, second, change) => {
      const key = `${rateClass} ${caller}`
      const window = windows.get(key)
      if (!window) return
      const changed = window.map(([at, n]) =>
        at === second ? ([at, Math.max(0, n + change)] as const) : ([at, n] as const),
      )
      windows.set(key, changed)
    },

    fail: async (caller, limits, now) => {
      if ((blocks.get(caller) ?? 0) > now) return blocks.get(caller)
      if (blocks.size > 10_000) purge(blocks, (end) => end <= now)
      if (failures.size > 10_000)
        purge(failures, (times) => (times.at(-1) ?? 0) <= now - limits.windowSeconds * 1000)
      const recent = (failures.get(caller) ?? []).filter(
        (time) => time > now - limits.windowSeconds * 1000,
      )
      recent.push(now)
      if (recent.length <= limits.failures) {
        failures.set(caller, recent)
        return undefined
      }
      failures.delete(caller)
      blocks.set(caller, now + limits.blockSeconds * 1000)
      return now + limits.blockSeconds * 1000
    },
  }
}

/** After the clock was set back, requests count in the last second. */
function withMore(window: SlidingWindow, second: number, amount: number): SlidingWindow {
  const [last = 0, requests = 0] = window.at(-1) ?? []
  return second > last
    ? [...window, [second, amount]]
    : [...window.slice(0, -1), [last, requests + amount]]
}

function purge<T>(map: Map<string, T>, isOver: (value: T) => boolean): void {
  for (const [key, value] of map) if (isOver(value)) map.delete(key)
}
