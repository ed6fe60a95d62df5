import { shownUrl, type Call } from '@farebox/middleware'

/** The message of an error about a call: the request, the reason, and when to try again. */
export function formatMessage({ method, url }: Call, why: string, retryAt?: number): string {
  // a custom backoff may return any number; a Date holds at most 8.64e15
  const when = retryAt ? `; try again at ${new Date(Math.min(8.64e15, retryAt)).toISOString()}` : ''
  return `${method} ${shownUrl(url)}: ${why}${when}`
}

/** Throws a RangeError for an option that is not a number or is below its minimum. */
export function atLeast(least: number, name: string, value: number): void {
  if (!(value >= least)) throw new RangeError(`${name} is ${value}, expected at least ${least}`)
}
