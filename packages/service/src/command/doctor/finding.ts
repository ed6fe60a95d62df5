import type { Database } from '../../platform/database/database.js'
import { openDatabase } from '../../platform/database/open-database.js'
import { sendRequest } from '../../platform/send-request.js'
import { type Settings, toStorageOptions } from '../settings/settings.js'

/** `warn`: it works, and an operator should know. `skip`: there is nothing to check. */
type Mark = 'ok' | 'warning' | 'failed' | 'skipped'

/** What one check found. */
export type Finding = {
  readonly check: string
  readonly mark: Mark
  readonly found: string
  /** What to do about it. Of warnings and failures. */
  readonly advice?: string
}

/** A check without its name. */
export type FindingDetails = Omit<Finding, 'check'>

export const pass = (found: string): FindingDetails => ({ mark: 'ok', found })
export const skip = (found: string): FindingDetails => ({ mark: 'skipped', found })
export const warn = (found: string, advice: string): FindingDetails => ({
  mark: 'warning',
  found,
  advice,
})
export const fail = (found: string, advice: string): FindingDetails => ({
  mark: 'failed',
  found,
  advice,
})

/** What the checks look at, apart from the settings. */
export type Sources = {
  readonly fetch: typeof fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly open: (settings: Settings) => Promise<Database>
}

export const realSources: Sources = {
  fetch: (input, init) => sendRequest(input, { signal: AbortSignal.timeout(10_000), ...init }),
  now: Date.now,
  open: (settings) => openDatabase(toStorageOptions(settings)),
}

/** The system's error code of a failed request. Messages may quote a key. */
export function describeTransportFault(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code
    if (one.name === 'TimeoutError') return 'no response within 10 s'
  }
  return 'the connection failed'
}
