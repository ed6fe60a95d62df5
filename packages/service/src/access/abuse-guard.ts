import { abuseProtection } from '@farebox/types/operations'

export type AbuseGuard = {
  /** Milliseconds until the caller may come again; nothing when it is not blocked. */
  readonly blockedFor: (caller: string, now: number) => number | undefined
  readonly fail: (caller: string, now: number) => void
}

/**
 * Blocks a caller after too many failures in too short a time: interface specification, "Client rules", rule 3 (more than 20
 * within 30 seconds block for 30 seconds). What is refused while blocked does not count, or a block would feed itself.
 */
export function createAbuseGuard(limits: { failures: number; windowSeconds: number; blockSeconds: number } = abuseProtection): AbuseGuard {
  const failures = new Map<string, number[]>()
  const blocks = new Map<string, number>()

  return {
    blockedFor: (caller, now) => {
      const end = blocks.get(caller)
      if (end === undefined) return undefined
      if (end > now) return end - now
      blocks.delete(caller)
      return undefined
    },
    fail: (caller, now) => {
      if (blocks.has(caller)) return
      if (blocks.size > 10_000) for (const [one, end] of blocks) if (end <= now) blocks.delete(one)
      if (failures.size > 10_000) forget(failures, now - limits.windowSeconds * 1000)
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

function forget(failures: Map<string, number[]>, before: number): void {
  for (const [caller, times] of failures) if ((times.at(-1) ?? 0) <= before) failures.delete(caller)
}
