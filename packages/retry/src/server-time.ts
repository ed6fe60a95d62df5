/**
 * The moment before which a server asks not to be called again: milliseconds since 1970 by our own clock; undefined when it does not say.
 * The latest of what it says counts; what cannot be read is ignored.
 *
 * - `retry-after-ms`; `Retry-After` in seconds or as an HTTP date (RFC 9110, section 10.2.3);
 * - `x-ratelimit-reset-requests`, a Unix time in seconds, in milliseconds above 1e11, or a number of seconds below 1e9. It stands on every
 *   answer, and means a retry only on a 429 or when no request is left (interface specification, "Errors" and "Limits").
 *
 * A time of the server's clock is corrected by its Date header, should our clock be wrong.
 */
export function serverTime({ status, headers }: Response, now: number): number | undefined {
  const skew = skewOf(headers, now)
  const limited = status === 429 || headers.get('x-ratelimit-remaining-requests') === '0'
  const times = [
    delay(headers.get('retry-after-ms'), 1, now),
    retryAfter(headers.get('retry-after'), now, skew),
    limited ? reset(headers.get('x-ratelimit-reset-requests'), now, skew) : undefined,
  ].filter((time) => time !== undefined && time <= latest)
  return times.length === 0 ? undefined : Math.max(...(times as number[]))
}

/** The last moment that a Date can hold. */
const latest = 8.64e15

function delay(value: string | null, unit: number, now: number): number | undefined {
  const number = numberOf(value)
  return number === undefined ? undefined : now + number * unit
}

function retryAfter(value: string | null, now: number, skew: number): number | undefined {
  const date = httpDate(value)
  return date === undefined ? delay(value, 1000, now) : date - skew
}

function reset(value: string | null, now: number, skew: number): number | undefined {
  const number = numberOf(value)
  if (number === undefined) return undefined
  if (number < 1e9) return now + number * 1000
  return (number > 1e11 ? number : number * 1000) - skew
}

function numberOf(value: string | null): number | undefined {
  return value !== null && /^\d{1,20}(\.\d{1,20})?$/.test(value.trim()) ? Number(value) : undefined
}

/** One of the three forms of RFC 9110, section 5.6.7. `Date.parse` alone would take almost anything, and the third form as local time. */
function httpDate(value: string | null): number | undefined {
  const text = value?.trim() ?? ''
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text)) return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}

/** Date counts whole seconds and is as old as the answer's way here. */
const unsure = 5_000

/** A difference of more than a day is no skew, but one of the two that does not tell the time at all. */
const absurd = 86_400_000

/** How far the server's clock is ahead of ours, in milliseconds; 0 where the difference says nothing. */
function skewOf(headers: Headers, now: number): number {
  const date = headers.has('age') ? undefined : httpDate(headers.get('date'))
  const skew = date === undefined ? 0 : date - now
  return Math.abs(skew) > unsure && Math.abs(skew) < absurd ? skew : 0
}
