import type { Fault } from '../fault.js'
import type { Scenario, ScenarioResult } from '../play.js'

/** The whole of a good response. */
export const ok = { kind: 'response', body: '{"data":[]}' } as const

export const createErrorFault = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Fault => ({
  kind: 'response',
  status,
  headers,
  body: '{"error":"no"}',
})

/** One GET. */
export const get: NonNullable<Scenario['run']> = async (party) => party.get()

export const sends = (count: number) => (seen: ScenarioResult) => seen.heard.length === count

/** Sent so often, and the whole of the good response came of it. */
export const hasValueAfter = (count: number) => (seen: ScenarioResult) =>
  sends(count)(seen) && isWhole(seen)

export const hasErrorAfter = (count: number) => (seen: ScenarioResult) =>
  sends(count)(seen) && seen.outcome === 'error'

/** A repeatable call may be repeated or not, as long as no partial response is a value. */
export const rejectsPartialResponse = (seen: ScenarioResult) =>
  hasErrorAfter(1)(seen) || hasValueAfter(2)(seen)

export function isWhole({ outcome, value }: ScenarioResult): boolean {
  return (
    outcome === 'value' &&
    typeof value === 'object' &&
    value !== null &&
    'data' in value &&
    Array.isArray(value.data)
  )
}
