import type { Scenario, ScenarioResult } from '../play.js'
import { get, ok, createErrorFault, hasValueAfter } from './words.js'

type Headers = Readonly<Record<string, string>>

/** More than a busy machine needs, and less than any time that would be wrong. */
const slackMs = 60_000

/** Both clocks and a timer cut off fractions of a millisecond. */
const tolerance = 3

const reset = (at: string): Headers => ({
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': at,
})

const hasWaited = ({ waits: [wait = 0] }: ScenarioResult, ms: number) =>
  wait >= ms - tolerance && wait < ms + slackMs

const expectNotBefore = (what: string, headers: Headers, ms: number): Scenario => ({
  title: `GET, ${what}: not before it`,
  script: () => [createErrorFault(429, headers), ok],
  run: get,
  right: (seen) => hasValueAfter(2)(seen) && hasWaited(seen, ms),
})

/**
 * The moment is told when the request is there. What the client owes from then on is kept with the
 * scenario's own script. The system's clock may be set while a test runs: the wait is measured by
 * the steady clock, and the response has the Date of its clock, as those of every server.
 */
const expectNotBeforeMoment = (
  what: string,
  createHeaders: (seconds: number) => Headers,
  aheadSeconds = 0,
): Scenario => {
  const owed = new WeakMap<object, number>()
  return {
    title: `POST, ${what}: not before it`,
    script: () => (heard, index) => {
      if (index > 0) return ok
      const now = Date.now()
      const seconds = Math.floor(now / 1000) + 2
      owed.set(heard, seconds * 1000 - now)
      const date = new Date(now).toUTCString()
      return createErrorFault(429, { date, ...createHeaders(seconds + aheadSeconds) })
    },
    right: (seen) =>
      hasValueAfter(2)(seen) && hasWaited(seen, owed.get(seen.heard[0] ?? {}) ?? Infinity),
  }
}

const expectIgnored = (what: string, headers: Headers): Scenario => ({
  title: `GET, ${what}: says nothing, and is repeated soon`,
  script: () => [createErrorFault(429, headers), ok],
  run: get,
  right: (seen) => hasValueAfter(2)(seen) && seen.ms < slackMs,
})

const expectFailureAtOnce = (what: string, headers: Headers): Scenario => ({
  title: `GET, ${what}: fails at once`,
  script: () => [createErrorFault(429, headers), ok],
  run: get,
  right: (seen: ScenarioResult) =>
    seen.heard.length === 1 && seen.outcome === 'error' && seen.ms < slackMs,
})

/**
 * A time that the server names is a floor, in every form. A value that cannot be read is ignored. A
 * time too far in the future is an error at once.
 */
export const serverTimes: readonly Scenario[] = [
  expectNotBefore('retry-after in seconds', { 'retry-after': '1' }, 1000),
  expectNotBefore('retry-after with a fraction', { 'retry-after': '1.5' }, 1500),
  expectNotBefore('retry-after-ms', { 'retry-after-ms': '1200' }, 1200),
  expectNotBefore('the later of two times', { 'retry-after': '0', 'retry-after-ms': '1300' }, 1300),
  expectNotBeforeMoment('retry-after as a date', (seconds) => ({
    'retry-after': new Date(seconds * 1000).toUTCString(),
  })),
  expectNotBeforeMoment('x-ratelimit-reset-requests', (seconds) => reset(String(seconds))),
  expectNotBeforeMoment('x-ratelimit-reset-requests in milliseconds', (seconds) =>
    reset(String(seconds * 1000)),
  ),
  expectNotBeforeMoment(
    'x-ratelimit-reset-requests by a clock an hour ahead',
    (seconds) => ({
      ...reset(String(seconds)),
      date: new Date(Date.now() + 3_600_000).toUTCString(),
    }),
    3600,
  ),
  expectIgnored('retry-after that has passed', { 'retry-after': 'Tue, 01 Jan 2019 00:00:00 GMT' }),
  expectIgnored('retry-after of no sense', { 'retry-after': 'soon' }),
  expectIgnored('retry-after of inf', { 'retry-after': 'inf' }),
  expectIgnored('retry-after of 1e400', { 'retry-after': '1e400' }),
  expectIgnored('retry-after below zero', { 'retry-after': '-5' }),
  expectIgnored('x-ratelimit-reset-requests of no sense', { ...reset('tomorrow') }),
  expectFailureAtOnce('retry-after of an hour', { 'retry-after': '3600' }),
  expectFailureAtOnce('retry-after beyond what a timer counts', { 'retry-after': '2147484' }),
  expectFailureAtOnce('retry-after of four hundred digits', { 'retry-after': '9'.repeat(400) }),
  expectFailureAtOnce('retry-after in another century', {
    'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT',
  }),
  expectFailureAtOnce(
    'x-ratelimit-reset-requests of tomorrow',
    reset(String(Math.floor(Date.now() / 1000) + 86_400)),
  ),
]
