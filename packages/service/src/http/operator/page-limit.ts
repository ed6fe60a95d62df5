import { createMemoryLimits } from '../../domain/limits/memory-limits.js'
import type { ClientAddress } from '../../platform/server/client-address.js'
import type { RequestInfo } from '../request-context.js'

/** Requests of one address for all pages in a minute: many probes, and far below a flood. */
export const pageRequests = 600

/** Whether an address may have one more page. The count is apart from that of the API. */
export type PageLimit = (request: Request, info: RequestInfo) => Promise<boolean>

/** `now` in milliseconds since 1970. */
export function createPageLimit(
  addressOf: ClientAddress['ofRequest'],
  now: () => number,
): PageLimit {
  const limits = createMemoryLimits()
  return async ({ headers }, { remoteAddress }) => {
    const caller = addressOf(remoteAddress, headers)
    return (await limits.count({ caller, rateClass: 'pages' }, pageRequests, now())).admitted
  }
}
