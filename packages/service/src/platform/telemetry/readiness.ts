import { timeLimit, LateError, withTimeout } from '../time.js'

export type Readiness = {
  readonly ready: boolean
  readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'timeout' | 'draining'>>
}

/** Checks every part, for at most `timeoutMs`. Simultaneous calls share one check. */
export function createReadiness(
  parts: Readonly<Record<string, () => Promise<unknown>>>,
  timeoutMs = timeLimit(5_000),
): () => Promise<Readiness> {
  const look = async (): Promise<Readiness> => {
    const found = await Promise.all(
      Object.entries(parts).map(
        async ([name, ask]) => [name, await checkPart(withTimeout(timeoutMs, ask))] as const,
      ),
    )
    return { ready: found.every(([, state]) => state === 'ok'), checks: Object.fromEntries(found) }
  }
  let running: Promise<Readiness> | undefined
  return () =>
    (running ??= look().finally(() => {
      running = undefined
    }))
}

async function checkPart(part: Promise<unknown>): Promise<'ok' | 'failed' | 'timeout'> {
  try {
    await part
    return 'ok'
  } catch (error) {
    return error instanceof LateError ? 'timeout' : 'failed'
  }
}

/** A readiness that ends with `drain`, whatever state the parts are in. */
export function createDrainableReadiness(ready: () => Promise<Readiness>): {
  readonly ready: () => Promise<Readiness>
  readonly drain: () => void
} {
  let drains = false
  return {
    ready: async () => {
      const found = drains ? undefined : await ready()
      // it may have begun meanwhile
      return found === undefined || drains
        ? { ready: false, checks: { service: 'draining' } }
        : found
    },
    drain: () => void (drains = true),
  }
}
