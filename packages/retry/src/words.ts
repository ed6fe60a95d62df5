import type { Call } from '@farebox/middleware'
import { withoutQuery } from './events.js'

/** What is said of a call that is given up, with the moment to come back. A backoff of the caller's own may give any number: a Date must hold it. */
export function words({ method, url }: Call, why: string, retryAt?: number): string {
  const when = retryAt ? `; try again at ${new Date(Math.min(8.64e15, retryAt)).toISOString()}` : ''
  return `${method} ${withoutQuery(url)}: ${why}${when}`
}

/** Refuses an option that is no number, or a smaller one. */
export function atLeast(least: number, name: string, value: number): void {
  if (!(value >= least)) throw new RangeError(`${name} is ${value}, expected at least ${least}`)
}
