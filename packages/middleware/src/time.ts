import { untilAborted } from './abort.js'

/**
 * Resolves when the time has passed, never earlier. Rejects with the signal's reason as soon as the
 * signal aborts. Leaves no timer and no listener behind.
 */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const end = performance.now() + milliseconds
  signal?.throwIfAborted()
  // a timer may fire a little early; one that is set for more than 2^31 - 1 ms fires at once
  for (let left; (left = end - performance.now()) > 0;) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(Math.ceil(left), 2 ** 31 - 1))
    })
    await untilAborted(timeout, signal).finally(() => clearTimeout(timer))
  }
}

/**
 * Parses a date in one of the three forms of RFC 9110, section 5.6.7, to milliseconds since 1970.
 * NaN for anything else: `Date.parse` would read numbers as years, and the third form as local
 * time.
 */
export function httpDate(value: string | null): number {
  const text = `${value}`
  return /^[A-Z]/.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : NaN
}

/**
 * How far the server's clock is ahead of ours, in milliseconds, by the Date of a response that
 * arrived at `received` (RFC 9110, section 6.6.1). NaN without a Date, and for a cached response,
 * whose Date is old. Date counts whole seconds and arrives late: the server may be up to about a
 * second further ahead. The caller limits how large an offset it believes.
 */
export function clockOffset({ headers }: Response, received: number): number {
  return headers.has('age') ? NaN : httpDate(headers.get('date')) - received
}
