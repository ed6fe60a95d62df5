import type { Count, LimitStore } from './limit-store.js'

/** Counts in this process: a restart begins anew. */
export function createMemoryLimits(): LimitStore {
  let window = 0
  const counts = new Map<string, number>()
  const failures = new Map<string, number[]>()
  const blocks = new Map<string, number>()

  const countOf = (caller: string, used: number): Count => {
    const blockedUntil = blocks.get(caller)
    return { used, ...(blockedUntil !== undefined && { blockedUntil }) }
  }
  const usedIn = (number: number, key: string): number => {
    if (number !== window) {
      counts.clear()
      window = number
    }
    return counts.get(key) ?? 0
  }

  return {
    take: async ({ caller, rateClass, number }, limit, now) => {
      const key = `${rateClass} ${caller}`
      const used = usedIn(number, key)
      const count = countOf(caller, used + 1)
      if (used < limit && !(count.blockedUntil !== undefined && count.blockedUntil > now)) counts.set(key, used + 1)
      return count
    },

    peek: async ({ caller, rateClass, number }) => countOf(caller, usedIn(number, `${rateClass} ${caller}`)),

    fail: async (caller, limits, now) => {
      if ((blocks.get(caller) ?? 0) > now) return
      if (blocks.size > 10_000) forget(blocks, (end) => end <= now)
      if (failures.size > 10_000) forget(failures, (times) => (times.at(-1) ?? 0) <= now - limits.windowSeconds * 1000)
      const recent = (failures.get(caller) ?? []).filter((time) => time > now - limits.windowSeconds * 1000)
      recent.push(now)
      if (recent.length <= limits.failures) failures.set(caller, recent)
      else {
        failures.delete(caller)
        blocks.set(caller, now + limits.blockSeconds * 1000)
      }
    },
  }
}

function forget<T>(map: Map<string, T>, isOver: (value: T) => boolean): void {
  for (const [key, value] of map) if (isOver(value)) map.delete(key)
}
