import { timeLimit } from '../time-limit.js'

export type Readiness = { readonly ready: boolean; readonly checks: Readonly<Record<string, 'ok' | 'failed' | 'timeout'>> }

/** Checks every part, for at most `timeoutMs`. Simultaneous calls share one check. */
export function createReadiness(
  parts: Readonly<Record<string, () => Promise<unknown>>>,
  timeoutMs = timeLimit(5_000),
): () => Promise<Readiness> {
  const look = async (): Promise<Readiness> => {
    const found = await Promise.all(Object.entries(parts).map(async ([name, ask]) => [name, await within(timeoutMs, ask)] as const))
    return { ready: found.every(([, state]) => state === 'ok'), checks: Object.fromEntries(found) }
  }
  let running: Promise<Readiness> | undefined
  return () =>
    (running ??= look().finally(() => {
      running = undefined
    }))
}

async function within(timeoutMs: number, ask: () => Promise<unknown>): Promise<'ok' | 'failed' | 'timeout'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), timeoutMs)
    timer.unref()
  })
  try {
    return await Promise.race([
      ask().then(
        () => 'ok' as const,
        () => 'failed' as const,
      ),
      late,
    ])
  } finally {
    clearTimeout(timer)
  }
}
