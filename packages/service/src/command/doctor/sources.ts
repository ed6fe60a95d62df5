import type { Database } from '../../platform/database/database.js'
import { openDatabase } from '../../platform/database/open-database.js'
import type { Settings } from '../settings/settings.js'
import { storageOptions } from '../settings/settings.js'

/** What the checks look at, apart from the settings. */
export type Sources = {
  readonly fetch: typeof fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly open: (settings: Settings) => Promise<Database>
}

export const realSources: Sources = {
  fetch: (input, init) => fetch(input, { signal: AbortSignal.timeout(10_000), ...init }),
  now: Date.now,
  open: (settings) => openDatabase(storageOptions(settings)),
}

/** The system's code of a request that failed, since messages may quote a key. */
export function transportFault(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code
    if (one.name === 'TimeoutError') return 'no answer within 10 s'
  }
  return 'the connection failed'
}
